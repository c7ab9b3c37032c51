# Run by ctest: cmake --install, configure and build the consumers, run them and the installed program.
include(${CMAKE_CURRENT_LIST_DIR}/must_run.cmake)

file(REMOVE_RECURSE ${SCRATCH})
set(prefix ${SCRATCH}/prefix)
must_run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
# The generator and compiler of this build: a machine may have no others.
must_run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${SCRATCH}/consumer -G ${GENERATOR}
         -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix}
         -DCMAKE_BUILD_TYPE=Release)
must_run(${CMAKE_COMMAND} --build ${SCRATCH}/consumer)
set(expected "Tessera ${VERSION}: a at [08], 8 of 16 sizes fit.*a plan that was ended: interrupted")
function(must_print_that consumer)
  must_run(${CMAKE_COMMAND} -E env --unset=TESSERA_PROFILES
           ${SCRATCH}/consumer/${consumer} ${NETWORK} ${ARGN})
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${consumer} printed:\n${output}")
  endif()
endfunction()
must_print_that(consumer ethos-u65-like)

# Without CMake: a program in C, by what pkg-config says.
if(PKG_CONFIG)
  foreach(package tessera tessera-static)
    must_run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${prefix}/${LIBDIR}/pkgconfig
             ${PKG_CONFIG} --cflags --libs ${package})
    separate_arguments(flags UNIX_COMMAND "${output}")
    must_run(${C_COMPILER} -std=c99 -Wpedantic ${CONSUMER_DIR}/main.c -o ${SCRATCH}/${package}
             ${flags} -Wl,-rpath,${prefix}/${LIBDIR})
    must_run(${SCRATCH}/${package})
    if(NOT output STREQUAL "a at 0, b at 4\n" AND NOT output STREQUAL "a at 8, b at 0\n")
      message(FATAL_ERROR "a program in C, by pkg-config ${package}, printed:\n${output}")
    endif()
  endforeach()
endif()

# The API, and nothing a program could take for its own.
if(NM)
  file(GLOB library ${prefix}/${LIBDIR}/libtessera.so)
  must_run(${NM} -DC --defined-only ${library})
  string(REGEX REPLACE "[^\n]* (typeinfo for |typeinfo name for |vtable for )?tessera::[^\n]*\n" "" others "${output}")
  string(REGEX REPLACE "[^\n]* T tessera_[a-z_]+\n" "" others "${others}")  # include/tessera_c.h
  if(others OR NOT output MATCHES "tessera::place\\(")
    message(FATAL_ERROR "the library shows more than the API:\n${others}")
  endif()
endif()

must_run(${prefix}/${BINDIR}/tessera --version)
if(NOT output STREQUAL "tessera ${VERSION}\n")
  message(FATAL_ERROR "the installed program calls itself:\n${output}")
endif()
must_run(${CMAKE_COMMAND} -E env --unset=TESSERA_PROFILES ${prefix}/${BINDIR}/tessera profiles)
if(NOT output MATCHES "nvdla-like")
  message(FATAL_ERROR "the installed program lists no profiles:\n${output}")
endif()
if(NOT EXISTS ${prefix}/${PROFILES}/nvdla-like.yaml)
  message(FATAL_ERROR "no profile was installed in ${prefix}/${PROFILES}")
endif()

foreach(made man/man1/tessera.1 man/man1/tessera-place.1 man/man1/tessera-report.1
        bash-completion/completions/tessera zsh/site-functions/_tessera
        fish/vendor_completions.d/tessera.fish doc/tessera/docs/formats.md doc/tessera/copyright)
  if(NOT EXISTS ${prefix}/share/${made})
    message(FATAL_ERROR "share/${made} was not installed")
  endif()
endforeach()

# What is linked statically runs without the library, and is told where profiles are.
file(GLOB libraries ${prefix}/${LIBDIR}/libtessera.*)
file(REMOVE ${libraries})
execute_process(COMMAND ${SCRATCH}/consumer/consumer RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "the shared library is gone, and the consumer runs without it")
endif()
must_print_that(consumer_static ${prefix}/${PROFILES}/ethos-u65-like.yaml)
file(REMOVE_RECURSE ${SCRATCH})
