#include "search/partition/structure.h"

#include <cstring>
#include <type_traits>

namespace tessera {
namespace {

/// Appends numbers byte by byte; every list is preceded by its length.
class KeyWriter {
 public:
  template <typename Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void add(Number value) {
    const auto wide = static_cast<std::int64_t>(value);
    // Small numbers, nearly all of them, take one byte.
    if (wide >= 0 && wide < 255) {
      key_.push_back(static_cast<char>(wide));
      return;
    }
    key_.push_back(static_cast<char>(255));
    char bytes[sizeof wide];
    std::memcpy(bytes, &wide, sizeof wide);
    key_.append(bytes, sizeof wide);
  }
  void add(const std::string& text) {
    add(text.size());
    key_ += text;
  }
  template <typename Number>
  void add(const std::vector<Number>& list) {
    add(list.size());
    for (const Number value : list) add(value);
  }
  [[nodiscard]] std::string take() { return std::move(key_); }

 private:
  std::string key_;
};

void add_tensor(KeyWriter& key, const Tensor& tensor) {
  key.add(tensor.shape);
  key.add(tensor.type);
  key.add(tensor.kind);
}

void add_op(KeyWriter& key, const Network& network, const Op& op) {
  key.add(op.kind);
  key.add(op.function);
  key.add(op.inputs.size());
  key.add(op.outputs.size());
  for (const TensorIndex t : op.outputs) add_tensor(key, network.tensors[t]);
  key.add(op.fused.size());
  for (const Fused& fused : op.fused) {
    key.add(fused.function);
    key.add(fused.operands.size());
  }
  for (const auto* list : {&op.kernel, &op.stride, &op.dilation, &op.pad_begin, &op.pad_end,
                           &op.output_padding, &op.begins, &op.steps, &op.extents})
    key.add(*list);
  key.add(op.groups);
  key.add(op.ceil_mode);
  key.add(op.axes);
  key.add(op.keep_dims);
  key.add(op.permutation);
  key.add(op.block);
  key.add(op.depth_first);
  key.add(op.transpose_a);
  key.add(op.transpose_b);
  key.add(op.resize.linear);
  key.add(op.resize.coordinates);
  key.add(op.resize.nearest);
}

}  // namespace

std::string structure_key(const Subgraph& subgraph) {
  KeyWriter key;
  key.add(subgraph.steps());
  for (std::size_t step = 0; step < subgraph.steps(); ++step)
    add_op(key, *subgraph.network, subgraph.op(static_cast<Step>(step)));
  key.add(subgraph.tensors.size());
  for (std::size_t t = 0; t < subgraph.tensors.size(); ++t) {
    const LocalTensor& local = subgraph.tensors[t];
    add_tensor(key, subgraph.network->tensors[local.tensor]);
    key.add(local.weight);
    key.add(local.leaves);
    key.add(local.producer ? *local.producer + 1 : 0);
    key.add(local.consumers);
  }
  for (const auto& operands : subgraph.operands_at) {
    key.add(operands.size());
    for (const LocalOperand& operand : operands) {
      key.add(operand.position);
      key.add(operand.local);
      add_tensor(key, subgraph.network->tensors[operand.seen_as]);
    }
  }
  for (const auto& made : subgraph.made_at) key.add(made);
  return key.take();
}

}  // namespace tessera
