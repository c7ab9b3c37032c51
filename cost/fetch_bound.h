// How often weights are fetched at least where they do not stay in memory.
//
//   FetchBound fetches(net, hardware, channel_use, passing);
//   fetches.find(first, last);
//   for (const auto& [weight, times] : fetches.times()) ...      // whole, by every tiling
//
// An op that makes all of its channels whenever it runs has all of its weights in memory then. What
// it reads and makes besides has to pass through the rest, so it runs in at least so many tiles.
// Ops it reads from run in each of those again, and fetch their weights again. Of a product whose
// sums may come in parts (tiling/reduction.h) one part of the weights and of what it reads is
// enough at a time.
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

/// Bytes of activations that any tiling has in memory while an op runs, added up over its tiles;
/// none where it may not run at all.
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

  /// Looks at the run of ops [first, last]; runs with the same first op are quickest in order.
  void find(OpIndex first, OpIndex last);
  /// Weights fetched more than once by every tiling of that run, and how often at least. Nothing
  /// where they may all stay in memory.
  [[nodiscard]] const std::vector<std::pair<TensorIndex, std::int64_t>>& times() const {
    return times_;
  }

 private:
  [[nodiscard]] bool may_stay(OpIndex first, OpIndex last);
  /// In how many parts a run from `first` on may make the sums of the op.
  [[nodiscard]] std::int64_t most_parts(OpIndex first, OpIndex op) const;

  const Network& network_;
  const ChannelUse& use_;
  std::vector<Passing> passing_;
  std::vector<std::optional<OpIndex>> feeds_;  ///< per op: who makes its first operand
  std::int64_t parts_ = 1;                     ///< the most that the profile tries
  std::vector<Size> least_;                    ///< bytes per tensor
  Size room_ = 0;                              ///< of all memories on the chip
  bool can_stay_ = false;                      ///< the profile allows resident weights
  bool tiles_alone_ = false;                   ///< no tile relies on what another one left
  // All weights of the ops [stay_first_, stay_end_).
  OpIndex stay_first_ = 0;
  OpIndex stay_end_ = 0;
  Size stay_bytes_ = 0;
  std::vector<bool> stays_;  ///< per tensor
  // Of the run, by op - first.
  std::vector<bool> all_channels_;
  std::vector<std::int64_t> tiles_;
  std::vector<std::pair<TensorIndex, std::int64_t>> times_;
};

}  // namespace tessera::cost
