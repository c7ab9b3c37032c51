// An ONNX model prepared for conversion: nodes ordered, constants folded, shapes inferred. Private
// to the ONNX reader.
//
// Uses only the message definitions of the ONNX library. Its shape inference and schemas trust
// their input; the code here does not.
#pragma once

#include <onnx/onnx.pb.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/network_onnx.h"
#include "model/poll.h"

namespace tessera::io::onnx_reader {

/// Limit on the elements of constants that are read or made.
inline constexpr std::size_t max_constant = 4096;

/// A small constant: integers (and booleans) or reals.
struct Constant {
  std::vector<Dim> shape;
  bool integer = true;
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  int type = onnx::TensorProto::INT64;
  [[nodiscard]] std::size_t size() const { return integer ? integers.size() : reals.size(); }
};
using ConstantPtr = std::shared_ptr<const Constant>;

/// TensorProto::DataType of 4-bit elements; old versions of libonnx-dev lack the names.
inline constexpr int uint4_type = 21;
inline constexpr int int4_type = 22;

/// Known properties of a tensor. ensure, once it is in a Model: at most max_rank axes, extents
/// within 0 .. max_extent, at most max_elements elements.
struct Known {
  std::vector<Dim> shape;
  int type = 0;  ///< onnx::TensorProto::DataType; 0: not known
};
inline constexpr std::int64_t max_elements = std::int64_t{1} << 40;

/// Poll units per node of a pass.
inline constexpr std::int64_t poll_units = 16;

struct Model {
  std::string file;
  onnx::ModelProto proto;
  std::vector<const onnx::NodeProto*> nodes;               ///< in order, without folded ones
  std::unordered_map<std::string, ConstantPtr> constants;  ///< small constants, by tensor name
  std::unordered_map<std::string, Known> initializers;  ///< all initializers, and folded constants
  std::unordered_map<std::string, Known> tensors;
  int opset = 0;
  std::vector<std::string> warnings;
  Poll poll;  ///< polled once per node in every pass

  [[nodiscard]] const Constant* constant(const std::string& name) const {
    const auto at = constants.find(name);
    return at == constants.end() ? nullptr : at->second.get();
  }
  [[nodiscard]] const Known* known(const std::string& name) const {
    const auto at = tensors.find(name);
    return at == tensors.end() ? nullptr : &at->second;
  }
};

/// "node `conv1` (Conv)"
[[nodiscard]] std::string named(const onnx::NodeProto& node);
/// "[1, 64, 56, 56]"; an unstated extent (below 0) is "?".
[[nodiscard]] std::string shape_text(const std::vector<Dim>& shape);
/// Is the node's operator one of ONNX itself?
[[nodiscard]] bool standard_domain(const std::string& domain);

[[nodiscard]] const onnx::AttributeProto* attribute(const onnx::NodeProto& node, const char* name);
[[nodiscard]] std::int64_t int_attribute(const onnx::NodeProto& node, const char* name,
                                         std::int64_t standard);
[[nodiscard]] std::vector<std::int64_t> ints_attribute(const onnx::NodeProto& node,
                                                       const char* name);
[[nodiscard]] std::string text_attribute(const onnx::NodeProto& node, const char* name,
                                         const char* standard);

/// Does the input exist? An empty name means an omitted input.
[[nodiscard]] bool has_input(const onnx::NodeProto& node, int position);
/// A list that old operators have as an attribute and newer ones as an input; none if it is not
/// constant.
[[nodiscard]] std::optional<std::vector<std::int64_t>> list_of(const Model& model,
                                                               const onnx::NodeProto& node,
                                                               int position, const char* name);

/// The defect of a shape by itself, as a clause after "has"; or none.
[[nodiscard]] std::optional<std::string> absurd(const std::vector<Dim>& shape);

/// The values of a tensor of at most `limit` elements; none for types that are neither integer,
/// boolean nor real. require: refuse_model() accepted the message (onnx_refuse.h).
[[nodiscard]] std::optional<Constant> constant_of(const onnx::TensorProto& tensor,
                                                  std::size_t limit = max_constant);

/// The value of the node's only output, if all required inputs are known constants and the operator
/// is supported; else null. require: refuse_node() accepted the node, and its shape was inferred if
/// it has a rule.
[[nodiscard]] ConstantPtr evaluate(const Model& model, const onnx::NodeProto& node);

/// Parses and checks the file, orders its nodes, infers and folds in one pass.
[[nodiscard]] Model load_model(std::string_view bytes, const std::string& file,
                               const OnnxOptions& options, OnnxNetwork& out);

}  // namespace tessera::io::onnx_reader
