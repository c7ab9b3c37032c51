# Detects different entities with one name in two files, which only a link of all objects can see. The objects
# of all modules are joined in the intermediate form of g++: types are compared, and no code is generated.
if(NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  return()
endif()
get_target_property(sources tessera_cli SOURCES)
list(FILTER sources INCLUDE REGEX "[.]cpp$")  # nor the loader of engines that are linked directly here
set(objects "")
foreach(module IN LISTS TESSERA_MODULES)
  list(APPEND objects $<TARGET_OBJECTS:tessera_${module}>)
endforeach()
add_executable(one_definition EXCLUDE_FROM_ALL ${sources} ${objects})
# Compiled like the program, linked with no library.
target_include_directories(one_definition PRIVATE $<TARGET_PROPERTY:tessera_cli,INCLUDE_DIRECTORIES>)
target_compile_definitions(one_definition PRIVATE $<TARGET_PROPERTY:tessera_cli,COMPILE_DEFINITIONS>)
target_compile_options(one_definition PRIVATE $<TARGET_PROPERTY:tessera_cli,COMPILE_OPTIONS>
  -w)  # other builds warn already; library headers are no system headers here
target_compile_features(one_definition PRIVATE cxx_std_20)
target_link_options(one_definition PRIVATE -r -flinker-output=rel -Wodr -Werror=odr)
