# Run by ctest: cmake --install, configure and build the consumer, run it and the installed program.
function(must_run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
set(prefix ${SCRATCH}/prefix)
must_run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
# The generator and compiler of this build: a machine may have no others.
must_run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${SCRATCH}/consumer -G ${GENERATOR}
         -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix}
         -DCMAKE_BUILD_TYPE=Release)
must_run(${CMAKE_COMMAND} --build ${SCRATCH}/consumer)
must_run(${SCRATCH}/consumer/consumer ${NETWORK})
if(NOT output MATCHES "a at [08]\n8 of 16 sizes fit\na plan that was ended: interrupted")
  message(FATAL_ERROR "the consumer printed:\n${output}")
endif()

must_run(${prefix}/${BINDIR}/tessera --version)
must_run(${CMAKE_COMMAND} -E env --unset=TESSERA_PROFILES ${prefix}/${BINDIR}/tessera profiles)
if(NOT output MATCHES "nvdla-like")
  message(FATAL_ERROR "the installed program lists no profiles:\n${output}")
endif()
if(NOT EXISTS ${prefix}/${PROFILES}/nvdla-like.yaml)
  message(FATAL_ERROR "no profile was installed in ${prefix}/${PROFILES}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
