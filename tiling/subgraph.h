// A run of consecutive ops, and the tensors it touches.
//
//   Subgraph part = make_subgraph(net, {first, last});
//   for (const LocalTensor& t : part.tensors) std::cout << net.tensors[t.tensor].name << '\n';
//
// Op k of the run is step k. Only tensors with memory of their own are listed: reading a view is
// reading its source.
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

/// On the chip, as buffers are placed into them. Sorted.
using Memories = std::vector<MemoryIndex>;

struct LocalTensor {
  TensorIndex tensor = 0;
  bool weight = false;
  std::optional<Step> producer;  ///< nothing: comes from outside
  std::vector<Step> consumers;   ///< sorted, each once
  bool leaves = false;           ///< is needed after the run, by another op or as a result
  ElementBytes bytes{};          ///< weights as the machine keeps them
  bool outside = false;  ///< among bricks an input or a result of the network, which has none
  /// It comes from outside, or leaves, and lies on the chip as a whole meanwhile.
  bool kept = false;
  /// It comes from outside, or leaves, and so many of its first rows stay on the chip meanwhile
  /// (kept_rows.h).
  Dim kept_rows = 0;
  /// Of what is kept from outside: the memories that the engine which made it reaches; empty: any.
  Memories made_in{};
  /// A weight that lies in that memory for good, beside all buffers.
  std::optional<MemoryIndex> pinned{};
  /// A weight that is there when the run begins.
  bool early = false;
  /// A weight that no op of the run reads: it is loaded for a later run, or waits for one where it
  /// is early, too.
  bool ahead = false;
  /// A weight that ops of the run read, and then ops of a later one: it waits for them where it is.
  bool left = false;
  /// Of what lies off the chip as a part of another tensor (reduction.h).
  std::optional<TensorSlice> slice{};
  /// Of a concatenation that runs alone: all that it joins lies in its place off the chip
  /// (joined.h), and nothing of it is moved.
  bool in_its_place = false;
  /// Lies where that local tensor does, which nobody needs once this one is made (reduction.h), or
  /// which joins it with others (joined.h).
  std::optional<std::size_t> in_place_of{};
};

/// One operand of an op, in the order of operands(op).
struct LocalOperand {
  std::size_t position = 0;
  std::size_t local = 0;    ///< index in Subgraph::tensors
  TensorIndex seen_as = 0;  ///< what the op names: the tensor itself or a view of it
};

/// The first rows of a tensor, which stay on the chip from run to run (kept_rows.h).
struct KeptRows {
  TensorIndex tensor = 0;  ///< of the planned network
  std::string name{};
  Dim rows = 0;
  Size bytes = 0;  ///< on the chip
};

struct Subgraph {
  const Network* network = nullptr;  ///< outlives the subgraph
  OpRange ops;
  std::vector<LocalTensor> tensors;                    ///< in order of first appearance
  std::vector<std::vector<LocalOperand>> operands_at;  ///< per step
  std::vector<std::vector<std::size_t>> made_at;       ///< per step: local tensors it makes
  /// On the chip as a whole, and no op of the run touches them: they wait for later runs.
  std::vector<TensorIndex> passing;
  std::vector<Memories> passing_in;  ///< of each, likewise; empty: any of all
  std::vector<KeptRows> kept_rows;   ///< in the order of tensors
  Dim brick = 1;  ///< channels that lie side by side on the chip (Layout); parts take whole ones
  // Of a run one product of which is as many ops as its sums have parts (reduction.h).
  std::shared_ptr<const Network> own;  ///< its network, which has no other ops; else nothing
  std::vector<TensorIndex> origin;     ///< per tensor of that: the one of the planned network
  Step split_at = 0;                   ///< its first op
  Dim split_parts = 1;
  [[nodiscard]] std::size_t steps() const { return ops.size(); }
  [[nodiscard]] const Tensor& tensor(std::size_t local) const {
    return network->tensors[tensors[local].tensor];
  }
  [[nodiscard]] const Op& op(Step step) const {
    return network->ops[ops.first + static_cast<std::size_t>(step)];
  }
  /// A tensor of `network` as the network that is planned counts it.
  [[nodiscard]] TensorIndex planned(TensorIndex tensor) const {
    return own ? origin[tensor] : tensor;
  }
  /// Which op of the run a step belongs to, counted from its first.
  [[nodiscard]] std::size_t planned_op(Step step) const {
    const Step past = std::clamp<Step>(step - split_at, 0, static_cast<Step>(split_parts) - 1);
    return static_cast<std::size_t>(step - past);
  }
};

/// Per tensor with memory of its own: the last op that reads it, through views or not;
/// ops.size() for a result of the network, nothing where nobody reads it.
[[nodiscard]] std::vector<std::optional<OpIndex>> last_readers(const Network& network);
/// Likewise the first; ops.size() where none does.
[[nodiscard]] std::vector<OpIndex> first_readers(const Network& network);

/// require: check_network(network) is empty, range inside the network, readers is
/// last_readers(network) (worth keeping where many runs are asked for).
[[nodiscard]] Subgraph make_subgraph(const Network& network, OpRange range,
                                     const std::vector<std::optional<OpIndex>>& readers);
[[nodiscard]] Subgraph make_subgraph(const Network& network, OpRange range);

/// The run on a machine, in its layout. Tensors of `stays` (sorted) lie on the chip as a whole from
/// the run that makes them to that of their last reader; where there is no other place for them
/// (stays_on_chip()), all do.
[[nodiscard]] Subgraph make_subgraph(const Network& network, OpRange range,
                                     const std::vector<std::optional<OpIndex>>& readers,
                                     const Hardware& hardware,
                                     std::span<const TensorIndex> stays = {});

/// Weights of a run that come before they are read.
struct EarlyWeights {
  std::vector<TensorIndex> early;    ///< there when it begins; sorted
  std::vector<TensorIndex> ahead;    ///< left to later runs; loaded for them, in this order, where
                                     ///< the run itself does not read them
  std::vector<TensorIndex> passing;  ///< there when it begins, for later runs
};
/// require: the run reads all of the first and none of the last
void set_early(Subgraph& part, const Hardware& hardware, const EarlyWeights& weights);

/// Those that may stay on the chip although there is another place for them: an op makes them,
/// another one reads them, and they are no result of the network. Sorted.
[[nodiscard]] std::vector<TensorIndex> may_stay(const Network& network,
                                                const std::vector<std::optional<OpIndex>>& readers);

/// Channels that lie side by side on the chip; 1 for what is no activation with channels.
[[nodiscard]] inline Dim brick_of(const Subgraph& part, std::size_t local) {
  return part.brick == 1 || part.tensors[local].outside || !has_layout(part.tensor(local))
             ? 1
             : part.brick;
}

/// Of what no op of the run touches.
[[nodiscard]] inline Dim brick_of_passing(const Subgraph& part, TensorIndex storage) {
  return part.brick == 1 || is_outside(*part.network, storage) ? 1 : part.brick;
}

/// Does the tensor come from outside by DMA?
[[nodiscard]] inline bool is_loaded(const LocalTensor& tensor) {
  return !tensor.producer && !tensor.kept && !tensor.early && !tensor.pinned &&
         !tensor.in_its_place;
}
/// Is it stored by DMA?
[[nodiscard]] inline bool is_stored(const LocalTensor& tensor) {
  return tensor.producer && tensor.leaves && !tensor.kept && !tensor.in_its_place;
}
/// Does anything lie on the chip as a whole, through all tiles?
[[nodiscard]] inline bool keeps(const Subgraph& part) {
  return !part.passing.empty() || std::ranges::any_of(part.tensors, &LocalTensor::kept);
}

}  // namespace tessera::tiling
