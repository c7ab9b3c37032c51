# The solvers of the baselines depend on many shared libraries, half of the start-up time of the program.
# Therefore they are a module, loaded by the program, the shared library and the Python module when one of
# their engines is used (baselines/module.h). Static libraries link them directly.
#
#   tessera_loads_baselines(tessera_cli ../lib/tessera)     # where the module is, from there
set(TESSERA_BASELINES_FILE tessera-baselines-${PROJECT_VERSION}.so)
if(TARGET tessera_baselines AND TESSERA_BASELINES_NEED AND NOT TESSERA_SANITIZE)
  add_library(tessera_baselines_module MODULE ${PROJECT_SOURCE_DIR}/baselines/module.cpp)
  target_link_libraries(tessera_baselines_module PRIVATE tessera_baselines)
  set(shown ${CMAKE_CURRENT_LIST_DIR}/baselines.map)
  target_link_options(tessera_baselines_module PRIVATE LINKER:--version-script=${shown})
  set_target_properties(tessera_baselines_module PROPERTIES PREFIX "" SUFFIX ""
    OUTPUT_NAME ${TESSERA_BASELINES_FILE} LINK_DEPENDS ${shown}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/tessera)
  install(TARGETS tessera_baselines_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tessera)

  add_library(tessera_baselines_loaded STATIC ${PROJECT_SOURCE_DIR}/baselines/loaded.cpp)
  target_link_libraries(tessera_baselines_loaded PUBLIC tessera_engine PRIVATE ${CMAKE_DL_LIBS})
  target_compile_definitions(tessera_baselines_loaded PRIVATE
    TESSERA_BASELINES_FILE="${TESSERA_BASELINES_FILE}")
endif()

# `target` searches the module in these folders, relative to its own, built or installed. No effect if there
# is no module and the baselines are linked directly.
function(tessera_loads_baselines target)
  if(NOT TARGET tessera_baselines_module)
    return()
  endif()
  set(folders ${ARGN})
  list(REMOVE_DUPLICATES folders)
  list(TRANSFORM folders PREPEND "$ORIGIN/")
  # One RPATH for both: CMake pads a path that changes on installation with an empty entry, which the loader
  # takes for the current folder.
  set_target_properties(${target} PROPERTIES TESSERA_LOADS_BASELINES ON
    INSTALL_RPATH "${folders}" BUILD_WITH_INSTALL_RPATH ON)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:tessera_baselines_loaded>)
  add_dependencies(${target} tessera_baselines_module)
endfunction()
