// An ONNX model made ready for conversion: nodes in order, constants folded, shapes inferred.
// Private to the ONNX reader.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/network_onnx.h"

namespace tessera::onnx_reader {

/// A small constant: integers (and booleans) or reals.
struct Constant {
  std::vector<Dim> shape;
  bool integer = true;
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  int type = onnx::TensorProto::INT64;
  [[nodiscard]] std::size_t size() const { return integer ? integers.size() : reals.size(); }
};

struct Known {
  std::vector<Dim> shape;
  int type = 0;
};

struct Model {
  std::string file;
  onnx::ModelProto proto;
  std::unordered_map<std::string, Constant> constants;  ///< small ones, by tensor name
  std::unordered_map<std::string, Known> initializers;  ///< all of them
  std::unordered_map<std::string, Known> tensors;       ///< whose shape is known
  int opset = 0;
  std::vector<std::string> warnings;

  [[nodiscard]] const Constant* constant(const std::string& name) const {
    const auto at = constants.find(name);
    return at == constants.end() ? nullptr : &at->second;
  }
};

/// "node 'conv1' (Conv)"
[[nodiscard]] std::string named(const onnx::NodeProto& node);

[[nodiscard]] const onnx::AttributeProto* attribute(const onnx::NodeProto& node, const char* name);
[[nodiscard]] std::int64_t int_attribute(const onnx::NodeProto& node, const char* name,
                                         std::int64_t standard);
[[nodiscard]] std::vector<std::int64_t> ints_attribute(const onnx::NodeProto& node,
                                                       const char* name);
[[nodiscard]] std::string text_attribute(const onnx::NodeProto& node, const char* name,
                                         const char* standard);

/// The values of a tensor of at most `limit` elements; nothing where they are not in the file or
/// of a type that is neither integer, boolean nor real.
[[nodiscard]] std::optional<Constant> constant_of(const onnx::TensorProto& tensor,
                                                  std::size_t limit = 4096);
[[nodiscard]] onnx::TensorProto tensor_of(const Constant& constant, const std::string& name);

/// The node's only output, where all it needs is known; nothing where it is not that simple.
[[nodiscard]] std::optional<Constant> evaluate(const Model& model, const onnx::NodeProto& node);

/// Parses and checks the file, orders its nodes, folds and infers until nothing changes.
[[nodiscard]] Model load_model(std::string_view bytes, const std::string& file,
                               const OnnxOptions& options, OnnxNetwork& out);

}  // namespace tessera::onnx_reader
