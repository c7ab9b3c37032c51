#include "cost/fetch_bound.h"

#include <algorithm>

namespace tessera {
namespace {

/// More tiles than this are not told apart: no cover wants them.
constexpr std::int64_t most_tiles = 1 << 16;
/// Runs of more ops are not looked at, which takes time in proportion to their length.
constexpr std::size_t longest = 128;

std::int64_t least_tiles(Size passing, Size room) {
  if (room <= 0) return most_tiles;
  return std::clamp<std::int64_t>((passing + room - 1) / room, 1, most_tiles);
}

bool contains(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

/// Does no window lie in the padding as a whole?
bool windows_meet_input(const Op& op, const std::vector<Dim>& kernel) {
  for (std::size_t axis = 0; axis < kernel.size(); ++axis) {
    const Dim reach = (axis < op.dilation.size() ? op.dilation[axis] : 1) * (kernel[axis] - 1);
    if (axis < op.pad_begin.size() && op.pad_begin[axis] > reach) return false;
    if (axis < op.pad_end.size() && op.pad_end[axis] > reach) return false;
  }
  return !op.ceil_mode;
}

}  // namespace

FetchBound::FetchBound(const Network& network, const Hardware& hardware,
                       const std::vector<std::optional<OpIndex>>& last_readers,
                       std::vector<Size> passing)
    : network_(network),
      last_readers_(last_readers),
      passing_(std::move(passing)),
      can_stay_(std::ranges::find(hardware.tiling.weights, WeightPolicy::resident) !=
                hardware.tiling.weights.end()),
      tiles_alone_(std::ranges::all_of(
          hardware.tiling.halo, [](HaloPolicy policy) { return policy == HaloPolicy::recompute; })),
      weights_(network.ops.size()),
      all_weights_(network.ops.size()),
      uses_(network.ops.size()) {
  for (const HardwareMemory& memory : hardware.memories)
    if (!memory.offchip) room_ += memory.space.capacity;
  std::vector<std::optional<OpIndex>> maker(network.tensors.size());
  for (OpIndex k = 0; k < network.ops.size(); ++k) {
    const Op& op = network.ops[k];
    const std::vector<TensorIndex> read = operands(op);
    for (std::size_t position = 0; position < read.size(); ++position) {
      const TensorIndex t = storage_of(network, read[position]);
      if (network.tensors[t].kind == TensorKind::weight) {
        const bool by_channel = op.kind == OpKind::conv || op.kind == OpKind::conv_transpose ||
                                op.kind == OpKind::batch_norm;
        all_weights_[k].push_back(t);
        if (by_channel && position > 0 && position < op.inputs.size() && read[position] == t)
          weights_[k].push_back(t);
      } else if (maker[t]) {
        uses_[*maker[t]].push_back(use_of(k, position));
      }
    }
    for (auto* list : {&weights_[k], &all_weights_[k]}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    for (const TensorIndex t : op.outputs) maker[storage_of(network, t)] = k;
  }
}

/// Of operand `position` by an op; channels are axis 1.
FetchBound::Use FetchBound::use_of(OpIndex reader, std::size_t position) const {
  const Op& op = network_.ops[reader];
  const TensorIndex seen = operands(op)[position];
  Use use{.reader = reader};
  const std::vector<Dim>& in = network_.tensors[seen].shape;
  const std::vector<Dim>& out = network_.tensors[op.outputs[0]].shape;
  if (network_.tensors[seen].view_of || in.size() != out.size() || in.size() < 2) return use;
  if (position >= op.inputs.size()) {
    use.same_channels = use.something = op.kind != OpKind::opaque;
    return use;
  }
  switch (op.kind) {
    case OpKind::conv:
      if (position != 0) return use;
      use.all_channels = op.groups == 1;
      use.same_channels = true;
      use.something = windows_meet_input(op, {network_.tensors[op.inputs[1]].shape.begin() + 2,
                                              network_.tensors[op.inputs[1]].shape.end()});
      return use;
    case OpKind::max_pool:
    case OpKind::average_pool:
      use.same_channels = true;
      use.something = windows_meet_input(op, op.kernel);
      return use;
    case OpKind::elementwise:
      use.same_channels = use.something = true;
      return use;
    case OpKind::batch_norm:
      use.same_channels = use.something = position == 0;
      return use;
    case OpKind::softmax:
    case OpKind::normalize:
    case OpKind::reduce:
      use.all_channels = contains(op.axes, 1);
      use.same_channels = use.something = true;
      return use;
    case OpKind::concat:
      use.same_channels = true;
      return use;
    default:
      return use;
  }
}

bool FetchBound::leaves(OpIndex op, OpIndex last) const {
  return std::ranges::any_of(network_.ops[op].outputs, [&](TensorIndex t) {
    const std::optional<OpIndex>& reader = last_readers_[storage_of(network_, t)];
    return !reader || *reader > last;
  });
}

/// Whenever it runs, given that it is known of the ops that read from it.
bool FetchBound::makes_all_channels(OpIndex op, OpIndex first, OpIndex last) const {
  if (network_.ops[op].outputs.size() != 1 || leaves(op, last)) return false;
  return std::ranges::all_of(uses_[op], [&](const Use& use) {
    return use.all_channels || (use.same_channels && all_channels_[use.reader - first]);
  });
}

bool FetchBound::may_stay(OpIndex first, OpIndex last) {
  if (!can_stay_) return false;
  if (first != stay_first_ || last + 1 < stay_end_ || stays_.empty()) {
    stays_.assign(network_.tensors.size(), false);
    stay_first_ = stay_end_ = first;
    stay_bytes_ = 0;
  }
  for (; stay_end_ <= last; ++stay_end_)
    for (const TensorIndex t : all_weights_[stay_end_])
      if (!stays_[t]) {
        stays_[t] = true;
        stay_bytes_ += tensor_bytes(network_.tensors[t]);
      }
  return stay_bytes_ <= room_;
}

void FetchBound::find(OpIndex first, OpIndex last) {
  times_.clear();
  if (first == last || last - first >= longest || !tiles_alone_ || may_stay(first, last)) return;
  const std::size_t count = last - first + 1;
  all_channels_.assign(count, false);
  tiles_.assign(count, 1);
  for (OpIndex k = last + 1; k-- > first;) {
    all_channels_[k - first] = makes_all_channels(k, first, last);
    Size weights = 0;
    if (all_channels_[k - first])
      for (const TensorIndex t : weights_[k]) weights += tensor_bytes(network_.tensors[t]);
    tiles_[k - first] = least_tiles(passing_[k], room_ - weights);
  }
  // Whoever only one op reads from runs only where that one does; whoever an op always reads from
  // runs wherever it does.
  for (OpIndex k = first; k < last; ++k)
    if (uses_[k].size() == 1 && !leaves(k, last)) {
      std::int64_t& tiles = tiles_[uses_[k].front().reader - first];
      tiles = std::max(tiles, tiles_[k - first]);
    }
  for (OpIndex k = last; k-- > first;)
    for (const Use& use : uses_[k])
      if (use.something && use.reader <= last)
        tiles_[k - first] = std::max(tiles_[k - first], tiles_[use.reader - first]);
  for (OpIndex k = first; k <= last; ++k)
    if (all_channels_[k - first] && tiles_[k - first] > 1)
      for (const TensorIndex t : weights_[k]) times_.emplace_back(t, tiles_[k - first]);
  // A weight that several ops read is fetched once per tile.
  std::ranges::sort(times_, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  times_.erase(std::unique(times_.begin(), times_.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; }),
               times_.end());
}

}  // namespace tessera
