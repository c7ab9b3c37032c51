# What is installed: the program, one shared library with every room in it, the public headers of
# model/ and planner/ as <tessera/model/...> and <tessera/planner/...>, the profiles, a CMake package.
#
#   find_package(tessera REQUIRED)
#   target_link_libraries(mine PRIVATE tessera::tessera)

include(CMakePackageConfigHelpers)

if(NOT TARGET tessera_planner)
  return()
endif()

add_library(tessera SHARED)
add_library(tessera::tessera ALIAS tessera)
# Every object of every room, whether something refers to it or not; the archives behind them only
# bring along what the rooms need themselves (yaml-cpp, CaDiCaL, Z3, ...), which stays inside.
foreach(room IN LISTS TESSERA_ROOMS)
  target_sources(tessera PRIVATE $<TARGET_OBJECTS:tessera_${room}>)
  target_link_libraries(tessera PRIVATE tessera_${room})
endforeach()
target_compile_features(tessera INTERFACE cxx_std_20)
target_include_directories(tessera INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(tessera PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_link_options(tessera PRIVATE LINKER:--exclude-libs,ALL)

install(TARGETS tessera EXPORT tesseraTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tessera_cli)
  install(TARGETS tessera_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The door; tests/arrows/arrows.py names the same.
set(public_model api budget check claim derived hardware hardware_check network network_order
    network_shapes network_stats placement plan problem units validate)
set(public_planner check_result engines errors explain export files generate import limits place plan
    session tile)
foreach(room model planner)
  foreach(header IN LISTS public_${room})
    install(FILES ${PROJECT_SOURCE_DIR}/${room}/${header}.h
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera/${room})
  endforeach()
endforeach()
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
