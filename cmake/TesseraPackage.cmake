# `cpack -G DEB` in a build folder makes tessera_VERSION_ARCH.deb with all installed files.
#
# The dependencies of the package are read from the binaries (dpkg-shlibdeps, of Debian's dpkg-dev).
if(NOT PROJECT_IS_TOP_LEVEL OR NOT TARGET tessera_cli)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR Tessera)
set(CPACK_PACKAGE_CONTACT "The Tessera maintainers <maintainers@tessera.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "places the buffers of neural networks in accelerators' memories")
set(CPACK_PACKAGE_DESCRIPTION
  "Decides before a program runs at which address of an accelerator's memory\nevery buffer lies, or proves that there is no way; plans how networks are cut\nand tiled. The program, its man pages and profiles, the library and its headers.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
find_program(shlibdeps dpkg-shlibdeps)
mark_as_advanced(shlibdeps)
if(shlibdeps)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
