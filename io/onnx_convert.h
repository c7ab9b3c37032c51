// Converts a prepared ONNX model to a Network. Private to the ONNX reader.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "io/onnx_model.h"

namespace tessera::io::onnx_reader {

/// Graph inputs that are weights: those used where an operator takes its parameters. In files with
/// `weights_as_inputs` in their metadata also operands of MatMul and of elementwise ops.
[[nodiscard]] std::unordered_set<std::string> find_weights(const Model& model);

class Converter {
 public:
  explicit Converter(Model& model);
  [[nodiscard]] Network convert();

 private:
  struct Entry {
    const char* type;
    void (Converter::*convert)(const onnx::NodeProto&, Op&);
  };
  static const Entry* entry_of(const std::string& type);

  [[noreturn]] void fail(const onnx::NodeProto& node, const std::string& what,
                         const std::string& hint = {}) const;
  [[nodiscard]] TensorIndex tensor(const onnx::NodeProto& node, const std::string& name);
  [[nodiscard]] TensorIndex input(const onnx::NodeProto& node, int position) {
    return tensor(node, node.input(position));
  }
  [[nodiscard]] TensorIndex add(Tensor tensor);
  [[nodiscard]] TensorIndex view(TensorIndex of, std::vector<Dim> shape, const std::string& name);
  [[nodiscard]] const std::vector<Dim>& shape(TensorIndex t) const { return net_.tensors[t].shape; }
  [[nodiscard]] const std::vector<Dim>& made(const onnx::NodeProto& node) const;
  [[nodiscard]] const Known& known(const onnx::NodeProto& node, const std::string& name) const;
  [[nodiscard]] bool has(const onnx::NodeProto& node, int position) const {
    return has_input(node, position);
  }
  [[nodiscard]] const Constant* constant(const onnx::NodeProto& node, int position) const {
    return has(node, position) ? model_.constant(node.input(position)) : nullptr;
  }
  /// A list that old operators have as an attribute and newer ones as an input; none if it is not
  /// constant.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> list(const onnx::NodeProto& node,
                                                              int position, const char* name) const;
  [[nodiscard]] std::vector<std::size_t> axes_of(const onnx::NodeProto& node, std::size_t rank,
                                                 const std::vector<std::int64_t>& given) const;

  void alias(const onnx::NodeProto& node);
  void finish(const onnx::NodeProto& node, Op& op);
  void windows(const onnx::NodeProto& node, Op& op, std::size_t spatial);
  void automatic_padding(const onnx::NodeProto& node, Op& op);
  void unknown(const onnx::NodeProto& node, Op& op, const std::string& why);

  // One per kind of node; each fills in the op, or leaves it opaque.
  void convolution(const onnx::NodeProto& node, Op& op);
  void pool(const onnx::NodeProto& node, Op& op);
  void global_pool(const onnx::NodeProto& node, Op& op);
  void reduce(const onnx::NodeProto& node, Op& op);
  void matmul(const onnx::NodeProto& node, Op& op);
  void gemm(const onnx::NodeProto& node, Op& op);
  void elementwise(const onnx::NodeProto& node, Op& op);
  void first_only(const onnx::NodeProto& node, Op& op);
  void along_axis(const onnx::NodeProto& node, Op& op);
  void layer_norm(const onnx::NodeProto& node, Op& op);
  void instance_norm(const onnx::NodeProto& node, Op& op);
  void channel_norm(const onnx::NodeProto& node, Op& op);
  void batch_norm(const onnx::NodeProto& node, Op& op);
  void concat(const onnx::NodeProto& node, Op& op);
  void split(const onnx::NodeProto& node, Op& op);
  void slice(const onnx::NodeProto& node, Op& op);
  void gather(const onnx::NodeProto& node, Op& op);
  void pad(const onnx::NodeProto& node, Op& op);
  void resize(const onnx::NodeProto& node, Op& op);
  void reshape(const onnx::NodeProto& node, Op& op);
  void transpose(const onnx::NodeProto& node, Op& op);
  void blocks(const onnx::NodeProto& node, Op& op);

  Model& model_;
  Network net_;
  std::unordered_map<std::string, TensorIndex> by_name_;
  std::unordered_set<std::string> weights_;
  std::unordered_map<std::string, std::pair<std::string, int>> unknown_;  ///< type -> first, count
  bool handled_ = false;  ///< the node needs no op of its own
};

}  // namespace tessera::io::onnx_reader
