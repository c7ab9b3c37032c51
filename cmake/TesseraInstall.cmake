# Installs the program with man pages and completion, one library with all modules (shared and static), the
# headers of include/ as <tessera/...>, the profiles, docs/, a CMake package and pkg-config files. `cpack -G
# DEB` in a build folder makes a Debian package (cmake/TesseraPackage.cmake).
#
#   find_package(tessera REQUIRED)
#   target_link_libraries(mine PRIVATE tessera::tessera)          # the shared library
#   target_link_libraries(mine PRIVATE tessera::tessera_static)   # all of it inside `mine`

include(CMakePackageConfigHelpers)

if(NOT TARGET tessera_explorer)
  return()
endif()

add_library(tessera SHARED)
add_library(tessera::tessera ALIAS tessera)
# Every object of every module, referenced or not. The archives after them only contribute what the modules
# need (yaml-cpp, CaDiCaL, Z3, ...), which stays hidden.
foreach(module IN LISTS TESSERA_MODULES)
  if(module STREQUAL "baselines" AND TARGET tessera_baselines_module)
    continue()
  endif()
  target_sources(tessera PRIVATE $<TARGET_OBJECTS:tessera_${module}>)
  target_link_libraries(tessera PRIVATE tessera_${module})
endforeach()
tessera_loads_baselines(tessera tessera)
target_compile_features(tessera INTERFACE cxx_std_20)
target_include_directories(tessera INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(tessera PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_link_options(tessera PRIVATE LINKER:--exclude-libs,ALL
  LINKER:--version-script=${CMAKE_CURRENT_LIST_DIR}/tessera.map)
set_property(TARGET tessera PROPERTY LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/tessera.map)

# The same objects in one archive. The libraries that the modules need are not included: the linker command
# names the libraries of TESSERA_NEEDS (cmake/TesseraModules.cmake) as well.
add_library(tessera_static STATIC)
add_library(tessera::tessera_static ALIAS tessera_static)
foreach(module IN LISTS TESSERA_MODULES)
  target_sources(tessera_static PRIVATE $<TARGET_OBJECTS:tessera_${module}>)
endforeach()
target_compile_features(tessera_static INTERFACE cxx_std_20)
target_include_directories(tessera_static INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(tessera_static INTERFACE Threads::Threads ${CMAKE_DL_LIBS} ${TESSERA_NEEDS})
foreach(need IN LISTS TESSERA_BASELINES_NEED)
  target_link_libraries(tessera_static INTERFACE
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TESSERA_LOADS_BASELINES>>>:${need}>)
endforeach()
set_target_properties(tessera_static PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

install(TARGETS tessera tessera_static EXPORT tesseraTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tessera_cli)
  install(TARGETS tessera_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The program generates man pages and completion from its help texts.
  if(NOT CMAKE_CROSSCOMPILING)
    set(made ${PROJECT_BINARY_DIR}/made)
    add_custom_command(OUTPUT ${made}/stamp
      COMMAND ${CMAKE_COMMAND} -E make_directory ${made}/man
      COMMAND tessera_cli help --man ${made}/man
      COMMAND tessera_cli completion bash > ${made}/tessera
      COMMAND tessera_cli completion zsh > ${made}/_tessera
      COMMAND tessera_cli completion fish > ${made}/tessera.fish
      COMMAND ${CMAKE_COMMAND} -E touch ${made}/stamp
      DEPENDS tessera_cli COMMENT "Writing man pages and completion" VERBATIM)
    add_custom_target(tessera_pages ALL DEPENDS ${made}/stamp)
    install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
    install(FILES ${made}/tessera DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${made}/_tessera DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${made}/tessera.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/pictures DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
        FILES_MATCHING PATTERN "*.svg")
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/third_party/uplot/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright.uplot)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
        FILES_MATCHING PATTERN "*.md")
# The folder is the public API. tests/layering/layering.py lists each of its headers.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/include/tessera_c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/hw_profiles/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/profiles
        FILES_MATCHING PATTERN "*.yaml")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tesseraConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
              ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config: `tessera` is the shared library, `tessera-static` the static one.
file(RELATIVE_PATH from_pkgconfig /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(pc_description "places the buffers of neural networks in accelerators' memories")
function(write_pkgconfig pc_name pc_libs)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tessera.pc.in ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(pc_needs ${TESSERA_NEEDS} ${TESSERA_BASELINES_NEED})
list(TRANSFORM pc_needs PREPEND -l)
list(JOIN pc_needs " " pc_needs)
write_pkgconfig(tessera "-ltessera")
write_pkgconfig(tessera-static "-ltessera_static ${pc_needs} -pthread -ldl -lstdc++ -lm")
