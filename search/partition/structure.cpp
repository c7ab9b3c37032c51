#include "search/partition/structure.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#include "model/stored.h"
#include "tiling/joined.h"
#include "tiling/loops.h"

namespace tessera::search {
namespace {

/// Appends numbers byte by byte; every list is preceded by its length.
class KeyWriter {
 public:
  template <typename Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void add(Number value) {
    const auto wide = static_cast<std::int64_t>(value);
    // Nearly all numbers are small and take one byte.
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
  key.add(tensor.encoded.value_or(0));
  const bool apart = tensor.joined && !tensor.joined->alike;
  key.add(apart ? tensor.joined->begin + 1 : 0);
  if (apart) key.add(tensor.joined->channels);
  key.add(tensor.pinned ? *tensor.pinned + 1 : 0);
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
  // Inputs of the network have another layout.
  key.add(tiling::loops_of(network, op, network.tensors[op.outputs.at(0)].shape).folds);
  key.add(tiling::is_in_its_place(network, op));
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

std::string structure_key(const tiling::Subgraph& subgraph) {
  KeyWriter key;
  key.add(subgraph.steps());
  for (std::size_t step = 0; step < subgraph.steps(); ++step)
    add_op(key, *subgraph.network, subgraph.op(static_cast<Step>(step)));
  key.add(subgraph.tensors.size());
  for (std::size_t t = 0; t < subgraph.tensors.size(); ++t) {
    const tiling::LocalTensor& local = subgraph.tensors[t];
    add_tensor(key, subgraph.network->tensors[local.tensor]);
    key.add(local.weight);
    key.add(local.bytes.encoded);
    key.add(local.outside);
    key.add(local.leaves);
    key.add(local.kept);
    key.add(local.made_in);
    key.add(local.producer ? *local.producer + 1 : 0);
    key.add(local.consumers);
  }
  for (const auto& operands : subgraph.operands_at) {
    key.add(operands.size());
    for (const tiling::LocalOperand& operand : operands) {
      key.add(operand.position);
      key.add(operand.local);
      add_tensor(key, subgraph.network->tensors[operand.seen_as]);
    }
  }
  for (const auto& made : subgraph.made_at) key.add(made);
  key.add(subgraph.brick);
  key.add(subgraph.passing.size());
  for (const TensorIndex tensor : subgraph.passing)
    key.add(stored_bytes(subgraph.network->tensors[tensor],
                         tiling::brick_of_passing(subgraph, tensor)));
  for (const auto& memories : subgraph.passing_in) key.add(memories);
  return key.take();
}

std::vector<std::uint32_t> like_ops(const Network& network,
                                    const std::vector<std::optional<OpIndex>>& readers,
                                    std::span<const TensorIndex> stays,
                                    std::span<const tiling::Memories> made_in) {
  /// The last op that accessed the storage of a tensor, and the position of the operand or output.
  struct Touch {
    OpIndex op = 0;
    std::size_t position = 0;
  };
  std::vector<std::optional<Touch>> before(network.tensors.size());
  std::vector<OpIndex> maker(network.tensors.size(), network.ops.size());
  for (OpIndex k = 0; k < network.ops.size(); ++k)
    for (const TensorIndex t : network.ops[k].outputs) maker[t] = k;
  const auto stay = [&](TensorIndex t) { return std::ranges::binary_search(stays, t); };
  const auto add_where_made = [&](KeyWriter& key, TensorIndex t) {
    if (made_in.empty()) return;
    const auto at = std::ranges::lower_bound(stays, t);
    if (at != stays.end() && *at == t)
      key.add(made_in[static_cast<std::size_t>(at - stays.begin())]);
  };
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> like;
  for (OpIndex k = 0; k < network.ops.size(); ++k) {
    const Op& op = network.ops[k];
    KeyWriter key;
    add_op(key, network, op);
    std::size_t position = 0;
    const auto add_use = [&](TensorIndex tensor) {
      const TensorIndex storage = storage_of(network, tensor);
      add_tensor(key, network.tensors[tensor]);
      add_tensor(key, network.tensors[storage]);
      key.add(stay(storage));
      add_where_made(key, storage);
      // 0: none.
      key.add(before[storage] ? k - before[storage]->op + 1 : 0);
      key.add(before[storage] ? before[storage]->position : 0);
      const std::optional<OpIndex> reader = readers[storage];
      key.add(!reader ? 0 : *reader == network.ops.size() ? 1 : 2);
      key.add(reader && *reader != network.ops.size()
                  ? static_cast<std::int64_t>(*reader) - static_cast<std::int64_t>(k)
                  : 0);
      before[storage] = Touch{k, position++};
    };
    for (const TensorIndex tensor : operands(op)) add_use(tensor);
    for (const TensorIndex tensor : op.outputs) add_use(tensor);
    // Tensors that are resident for other groups.
    for (const TensorIndex t : stays)
      if (maker[t] < k && readers[t] && *readers[t] > k) {
        add_tensor(key, network.tensors[t]);
        add_where_made(key, t);
        key.add(k - maker[t]);
        key.add(*readers[t] - k);
      }
    like.push_back(
        numbers.try_emplace(key.take(), static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return like;
}

}  // namespace tessera::search
