# Two different things of one name in two files: only a link that sees all of them notices. The
# objects of every module become one, as g++ has them between its parser and its code generator:
# types are compared then, and no code is made.
if(NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  return()
endif()
get_target_property(sources tessera_cli SOURCES)
list(FILTER sources INCLUDE REGEX "[.]cpp$")  # nor what loads the engines that are here by themselves
set(objects "")
foreach(module IN LISTS TESSERA_MODULES)
  list(APPEND objects $<TARGET_OBJECTS:tessera_${module}>)
endforeach()
add_executable(one_definition EXCLUDE_FROM_ALL ${sources} ${objects})
# Compiled as the program is, and linked with nothing.
target_include_directories(one_definition PRIVATE $<TARGET_PROPERTY:tessera_cli,INCLUDE_DIRECTORIES>)
target_compile_definitions(one_definition PRIVATE $<TARGET_PROPERTY:tessera_cli,COMPILE_DEFINITIONS>)
target_compile_options(one_definition PRIVATE $<TARGET_PROPERTY:tessera_cli,COMPILE_OPTIONS>
  -w)  # every other build warns; headers of libraries are no system headers here
target_compile_features(one_definition PRIVATE cxx_std_20)
target_link_options(one_definition PRIVATE -r -flinker-output=rel -Wodr -Werror=odr)
