// A group of consecutive ops, and the tensors it uses.
//
//   Subgraph part = make_subgraph(net, {first, last});
//   for (const LocalTensor& t : part.tensors) std::cout << net.tensors[t.tensor].name << '\n';
//
// Op k of the group is step k. Only tensors with own storage are listed: reading a view is reading
// its source.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/stored.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tiling/box.h"

namespace tessera::tiling {

/// Sorted indices of on-chip memories, as buffers count them.
using Memories = std::vector<MemoryIndex>;

struct LocalTensor {
  TensorIndex tensor = 0;
  bool weight = false;
  std::optional<Step> producer;  ///< nothing: comes from outside
  std::vector<Step> consumers;   ///< sorted, unique
  bool leaves = false;           ///< needed after the group, by another op or as a network output
  ElementBytes bytes{};          ///< weights as the machine stores them
  bool outside = false;          ///< with bricks: a network input or output, which has none
  /// Resident: comes from outside or leaves, and is on-chip as a whole meanwhile.
  bool kept = false;
  /// For a resident tensor from outside: the memories that its producer's engine reaches; empty:
  /// any.
  Memories made_in{};
  /// A weight pinned in that memory, separate from all buffers.
  std::optional<MemoryIndex> pinned{};
  /// A prefetched weight, on-chip when the group begins.
  bool early = false;
  /// A weight that no op of this group reads: it is prefetched for a later group, or waits for one
  /// if it is also `early`.
  bool ahead = false;
  /// A weight that ops of this group and of a later one read: it stays in place for the later one.
  bool left = false;
  /// An off-chip tensor that is a part of another one (reduction.h).
  std::optional<TensorSlice> slice{};
  /// A concatenation that is alone in its group: all operands are inside its off-chip output
  /// (joined.h), and nothing is moved.
  bool in_its_place = false;
  /// It is in the buffer of that local tensor, which is not needed any longer (reduction.h) or
  /// which contains it (joined.h).
  std::optional<std::size_t> in_place_of{};
};

/// An operand of an op, in the order of operands(op).
struct LocalOperand {
  std::size_t position = 0;
  std::size_t local = 0;    ///< index in Subgraph::tensors
  TensorIndex seen_as = 0;  ///< the tensor that the op names: the tensor itself or a view of it
};

struct Subgraph {
  const Network* network = nullptr;  ///< outlives the subgraph
  OpRange ops;
  std::vector<LocalTensor> tensors;                    ///< in order of first appearance
  std::vector<std::vector<LocalOperand>> operands_at;  ///< per step
  std::vector<std::vector<std::size_t>> made_at;       ///< per step: local tensors it produces
  /// Tensors of other groups that are resident as a whole during this group.
  std::vector<TensorIndex> passing;
  std::vector<Memories> passing_in;  ///< per passing tensor; empty: any
  Dim brick = 1;  ///< channels of an on-chip brick (Layout); parts take whole bricks
  // For a group with a split product (reduction.h).
  std::shared_ptr<const Network> own;  ///< its own network, which has no other ops; else null
  std::vector<TensorIndex> origin;     ///< per tensor of that, its index in the planned network
  Step split_at = 0;                   ///< the first op of the product
  Dim split_parts = 1;
  [[nodiscard]] std::size_t steps() const { return ops.size(); }
  [[nodiscard]] const Tensor& tensor(std::size_t local) const {
    return network->tensors[tensors[local].tensor];
  }
  [[nodiscard]] const Op& op(Step step) const {
    return network->ops[ops.first + static_cast<std::size_t>(step)];
  }
  /// The index of a tensor of `network` in the planned network.
  [[nodiscard]] TensorIndex planned(TensorIndex tensor) const {
    return own ? origin[tensor] : tensor;
  }
  /// The op of the planned group that a step belongs to, counted from the first.
  [[nodiscard]] std::size_t planned_op(Step step) const {
    const Step past = std::clamp<Step>(step - split_at, 0, static_cast<Step>(split_parts) - 1);
    return static_cast<std::size_t>(step - past);
  }
};

/// Per tensor with own storage: the last op that reads it, also through views; ops.size() for a
/// network output; nothing without reader.
[[nodiscard]] std::vector<std::optional<OpIndex>> last_readers(const Network& network);
/// Likewise the first reader; ops.size() if there is none.
[[nodiscard]] std::vector<OpIndex> first_readers(const Network& network);

/// require: check_network(network) is empty, range is inside the network, readers is
/// last_readers(network) (computed once for many groups).
[[nodiscard]] Subgraph make_subgraph(const Network& network, OpRange range,
                                     const std::vector<std::optional<OpIndex>>& readers);
[[nodiscard]] Subgraph make_subgraph(const Network& network, OpRange range);

/// The group on a machine, with its layout. Tensors of `stays` (sorted) are resident from their
/// producer's group to that of their last reader. If there is no other place for them
/// (stays_on_chip()), all tensors are.
[[nodiscard]] Subgraph make_subgraph(const Network& network, OpRange range,
                                     const std::vector<std::optional<OpIndex>>& readers,
                                     const Hardware& hardware,
                                     std::span<const TensorIndex> stays = {});

/// Prefetched weights of a group.
struct PrefetchedWeights {
  std::vector<TensorIndex> early;    ///< on-chip when the group begins; sorted
  std::vector<TensorIndex> ahead;    ///< left for later groups; prefetched in this order unless the
                                     ///< group itself reads them
  std::vector<TensorIndex> passing;  ///< on-chip when the group begins, for later groups
};
/// require: the group reads all of `early` and none of `passing`
void set_prefetched(Subgraph& part, const Hardware& hardware, const PrefetchedWeights& weights);

/// Tensors that may be resident although there is another place for them. An op produces them,
/// another one reads them, and they are not outputs of the network. Sorted.
[[nodiscard]] std::vector<TensorIndex> may_stay(const Network& network,
                                                const std::vector<std::optional<OpIndex>>& readers);

/// Channels of a brick; 1 if the tensor is not an activation with channels.
[[nodiscard]] inline Dim brick_of(const Subgraph& part, std::size_t local) {
  return part.brick == 1 || part.tensors[local].outside || !has_layout(part.tensor(local))
             ? 1
             : part.brick;
}

/// For a passing tensor.
[[nodiscard]] inline Dim brick_of_passing(const Subgraph& part, TensorIndex storage) {
  return part.brick == 1 || is_outside(*part.network, storage) ? 1 : part.brick;
}

/// Is the tensor loaded by DMA?
[[nodiscard]] inline bool is_loaded(const LocalTensor& tensor) {
  return !tensor.producer && !tensor.kept && !tensor.early && !tensor.pinned &&
         !tensor.in_its_place;
}
/// Is it stored by DMA?
[[nodiscard]] inline bool is_stored(const LocalTensor& tensor) {
  return tensor.producer && tensor.leaves && !tensor.kept && !tensor.in_its_place;
}
/// Is any tensor resident?
[[nodiscard]] inline bool keeps(const Subgraph& part) {
  return !part.passing.empty() || std::ranges::any_of(part.tensors, &LocalTensor::kept);
}

}  // namespace tessera::tiling
