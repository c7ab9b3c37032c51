// What of an ONNX message is refused before anything is made of it. Private to the ONNX reader.
#pragma once

#include "io/onnx_model.h"

namespace tessera::io::onnx_reader {

/// The version of the standard operators. Throws InputError where the message is of a kind that is
/// not read (local functions, unknown operator sets, sparse or external data, control flow), or
/// where its parts do not agree with themselves: data of another size than their shape, a name
/// used twice, an attribute that is not of its type.
[[nodiscard]] int refuse_model(const onnx::ModelProto& model, const std::string& file, Poll& poll);

/// Throws InputError where the node has a number of inputs or outputs, or an attribute, that its
/// operator does not have. Nodes of unknown operators pass.
void refuse_node(const onnx::NodeProto& node, const std::string& file);

}  // namespace tessera::io::onnx_reader
