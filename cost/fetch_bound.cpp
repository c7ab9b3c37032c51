#include "cost/fetch_bound.h"

#include <algorithm>

#include "model/stored.h"
#include "tiling/loops.h"

namespace tessera::cost {
namespace {

/// Larger tile counts are clipped: no good partition has them.
constexpr std::int64_t most_tiles = 1 << 16;
/// Longer groups are skipped, because the time is proportional to their length.
constexpr std::size_t longest = 128;

std::int64_t least_tiles(Size passing, Size room) {
  if (room <= 0) return most_tiles;
  return std::clamp<std::int64_t>((passing + room - 1) / room, 1, most_tiles);
}

}  // namespace

FetchBound::FetchBound(const Network& network, const Hardware& hardware, const ChannelUse& use,
                       std::vector<Passing> passing)
    : network_(network),
      use_(use),
      passing_(std::move(passing)),
      least_(least_stored(network, hardware)),
      can_stay_(std::ranges::find(hardware.tiling.weights, WeightPolicy::resident) !=
                hardware.tiling.weights.end()),
      tiles_alone_(std::ranges::all_of(hardware.tiling.halo, [](HaloPolicy policy) {
        return policy == HaloPolicy::recompute;
      })) {
  for (const HardwareMemory& memory : hardware.memories)
    if (!memory.offchip) room_ += memory.space.capacity;
  for (const std::int64_t parts : hardware.tiling.reduction) parts_ = std::max(parts_, parts);
  std::vector<std::optional<OpIndex>> makers(network.tensors.size());
  for (OpIndex k = 0; k < network.ops.size(); ++k) {
    feeds_.push_back(makers[storage_of(network, operands(network.ops[k]).front())]);
    for (const TensorIndex t : network.ops[k].outputs) makers[storage_of(network, t)] = k;
  }
}

std::int64_t FetchBound::most_parts(OpIndex first, OpIndex op) const {
  const bool from_outside = !feeds_[op] || *feeds_[op] < first;
  return from_outside && tiling::is_product(network_.ops[op]) ? parts_ : 1;
}

bool FetchBound::may_stay(OpIndex first, OpIndex last) {
  if (!can_stay_) return false;
  if (first != stay_first_ || last + 1 < stay_end_ || stays_.empty()) {
    stays_.assign(network_.tensors.size(), false);
    stay_first_ = stay_end_ = first;
    stay_bytes_ = 0;
  }
  for (; stay_end_ <= last; ++stay_end_)
    for (const TensorIndex t : use_.all_weights(stay_end_))
      if (!stays_[t]) {
        stays_[t] = true;
        stay_bytes_ += least_[t];
      }
  return stay_bytes_ <= room_;
}

void FetchBound::find(OpIndex first, OpIndex last) {
  times_.clear();
  if (first == last || last - first >= longest || !tiles_alone_ || may_stay(first, last)) return;
  const std::size_t count = last - first + 1;
  use_.find_all_channels({first, last}, all_channels_);
  tiles_.assign(count, 1);
  for (OpIndex k = last + 1; k-- > first;) {
    if (!passing_[k].any()) continue;
    Size weights = 0;
    if (all_channels_[k - first])
      for (const TensorIndex t : use_.weights(k)) weights += least_[t];
    const std::int64_t parts = most_parts(first, k);
    tiles_[k - first] =
        least_tiles(passing_[k].made + passing_[k].read / parts, room_ - weights / parts);
  }
  // An op with a single reader runs only if that reader runs; an op that a reader always reads runs
  // whenever the reader does.
  for (OpIndex k = first; k < last; ++k)
    if (use_.uses(k).size() == 1 && !use_.leaves(k, last)) {
      std::int64_t& tiles = tiles_[use_.uses(k).front().reader - first];
      tiles = std::max(tiles, tiles_[k - first]);
    }
  for (OpIndex k = last; k-- > first;)
    for (const ChannelUse::Use& use : use_.uses(k))
      if (use.reader <= last && use.is_read(all_channels_[use.reader - first]))
        tiles_[k - first] = std::max(tiles_[k - first], tiles_[use.reader - first]);
  for (OpIndex k = first; k <= last; ++k)
    if (all_channels_[k - first] && tiles_[k - first] > 1 && passing_[k].any())
      for (const TensorIndex t : use_.weights(k)) times_.emplace_back(t, tiles_[k - first]);
  // A weight that several ops read is fetched once per tile.
  std::ranges::sort(times_, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  times_.erase(std::unique(times_.begin(), times_.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; }),
               times_.end());
}

}  // namespace tessera::cost
