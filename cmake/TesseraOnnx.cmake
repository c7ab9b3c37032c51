# The message classes of ONNX, generated from the definition in libonnx-dev. They use protobuf's lite run
# time: the full one and libonnx_proto slow down every start of a program by more than placing most problems
# takes. Their package is renamed, so that a program that links libonnx as well has no duplicate definitions.
#
#   tessera_onnx_messages(target)     # <onnx/onnx.pb.h>
if(TESSERA_WITH_ONNX)
  find_program(PROTOC protoc REQUIRED)              # Debian: protobuf-compiler
  find_path(ONNX_INCLUDE onnx/onnx.proto REQUIRED)  # Debian: libonnx-dev
  mark_as_advanced(PROTOC ONNX_INCLUDE)
  set(TESSERA_MESSAGES ${PROJECT_BINARY_DIR}/messages)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ONNX_INCLUDE}/onnx/onnx.proto)
  file(READ ${ONNX_INCLUDE}/onnx/onnx.proto definition)
  string(REPLACE "\npackage onnx;" "\npackage tessera.io.onnx;" definition "${definition}")
  if(NOT definition MATCHES "opaque_type")
    # Of onnx-ml.proto: opaque values are not tensors, independent of their type.
    string(REPLACE "    SparseTensor sparse_tensor_type = 8;\n"
      "    SparseTensor sparse_tensor_type = 8;\n    Opaque opaque_type = 7;\n" definition "${definition}")
    string(REPLACE "\nmessage TypeProto {\n"
      "\nmessage TypeProto {\n  message Opaque {\n    optional string domain = 1;\n    optional string name = 2;\n  }\n"
      definition "${definition}")
  endif()
  if(NOT definition MATCHES "optimize_for = LITE_RUNTIME")
    string(APPEND definition "\noption optimize_for = LITE_RUNTIME;\n")
  endif()
  file(GENERATE OUTPUT ${TESSERA_MESSAGES}/onnx/onnx.proto CONTENT "${definition}")
  set(TESSERA_ONNX_SOURCE ${TESSERA_MESSAGES}/onnx/onnx.pb.cc)
  add_custom_command(OUTPUT ${TESSERA_ONNX_SOURCE} ${TESSERA_MESSAGES}/onnx/onnx.pb.h
    COMMAND ${PROTOC} --proto_path=${TESSERA_MESSAGES} --cpp_out=${TESSERA_MESSAGES} onnx/onnx.proto
    DEPENDS ${TESSERA_MESSAGES}/onnx/onnx.proto COMMENT "Writing the messages of ONNX" VERBATIM)
  add_custom_target(tessera_messages DEPENDS ${TESSERA_ONNX_SOURCE})
endif()

function(tessera_onnx_messages target)
  target_include_directories(${target} SYSTEM PRIVATE ${TESSERA_MESSAGES})
endfunction()
