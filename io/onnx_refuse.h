// Rejects unsupported or inconsistent ONNX messages before conversion. Private to the ONNX reader.
#pragma once

#include "io/onnx_model.h"

namespace tessera::io::onnx_reader {

/// Returns the version of the standard operators. Throws InputError for unsupported messages (local
/// functions, unknown operator sets, sparse or external data, control flow) and for inconsistent
/// ones: data whose size differs from the shape, duplicate names, attributes of a wrong type.
[[nodiscard]] int refuse_model(const onnx::ModelProto& model, const std::string& file, Poll& poll);

/// Throws InputError if the node has a wrong number of inputs or outputs, or an attribute its
/// operator does not have. Nodes of unknown operators pass.
void refuse_node(const onnx::NodeProto& node, const std::string& file);

}  // namespace tessera::io::onnx_reader
