// Lower bound on how often weights are fetched if they do not stay on chip.
//
//   FetchBound fetches(net, hardware, channel_use, passing);
//   fetches.find(first, last);
//   for (const auto& [weight, times] : fetches.times()) ...      // whole, by every tiling
//
// An op that makes all of its channels has all of its weights on chip while it runs. Its
// activations pass through the remaining memory, which gives a minimum number of tiles. The ops it
// reads from run in each of these tiles and fetch their weights again. A product that may
// accumulate its sums in parts (tiling/reduction.h) needs only one part of its weights and inputs
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cost/channel_use.h"
#include "tessera/hardware.h"
#include "tessera/network.h"

namespace tessera::cost {

/// Bytes of activations on chip while an op runs, in any tiling, summed over its tiles; none if the
/// op may not run at all.
struct Passing {
  Size read = 0;
  Size made = 0;
  [[nodiscard]] bool any() const { return read + made > 0; }
};

class FetchBound {
 public:
  /// `passing`: per op. require: network and use outlive this.
  FetchBound(const Network& network, const Hardware& hardware, const ChannelUse& use,
             std::vector<Passing> passing);

  /// Analyses the group of ops [first, last]. Groups with the same first op are fastest in order of
  /// `last`.
  void find(OpIndex first, OpIndex last);
  /// Weights that every tiling of that group fetches more than once, with the minimum count. Empty
  /// if all weights may stay on chip.
  [[nodiscard]] const std::vector<std::pair<TensorIndex, std::int64_t>>& times() const {
    return times_;
  }

 private:
  [[nodiscard]] bool may_stay(OpIndex first, OpIndex last);
  /// The maximum number of parts in which a group from `first` on may accumulate the sums of the
  /// op.
  [[nodiscard]] std::int64_t most_parts(OpIndex first, OpIndex op) const;

  const Network& network_;
  const ChannelUse& use_;
  std::vector<Passing> passing_;
  std::vector<std::optional<OpIndex>> feeds_;  ///< per op: the producer of its first operand
  std::int64_t parts_ = 1;                     ///< maximum number of parts that the profile allows
  std::vector<Size> least_;                    ///< bytes per tensor
  Size room_ = 0;                              ///< of all on-chip memories
  bool can_stay_ = false;                      ///< the profile allows resident weights
  bool tiles_alone_ = false;                   ///< no tile reuses data of another tile
  // Cached: all weights of the ops [stay_first_, stay_end_).
  OpIndex stay_first_ = 0;
  OpIndex stay_end_ = 0;
  Size stay_bytes_ = 0;
  std::vector<bool> stays_;  ///< per tensor
  // Of the group, indexed by op - first.
  std::vector<bool> all_channels_;
  std::vector<std::int64_t> tiles_;
  std::vector<std::pair<TensorIndex, std::int64_t>> times_;
};

}  // namespace tessera::cost
