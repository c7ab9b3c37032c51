// How often weights are fetched at least where they do not stay in memory.
//
//   FetchBound fetches(net, hardware, last_readers(net), passing);
//   fetches.find(first, last);
//   for (const auto& [weight, times] : fetches.times()) ...      // whole, by every tiling
//
// An op that makes all of its channels whenever it runs has all of its weights in memory then. What
// it reads and makes besides has to pass through the rest, so it runs in at least so many tiles.
// Ops it reads from run in each of those again, and fetch their weights again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/hardware.h"
#include "model/network.h"

namespace tessera {

class FetchBound {
 public:
  /// `passing`: per op the bytes of activations that any tiling has in memory while the op runs,
  /// added up over its tiles. require: network and readers outlive this.
  FetchBound(const Network& network, const Hardware& hardware,
             const std::vector<std::optional<OpIndex>>& last_readers, std::vector<Size> passing);

  /// Looks at the run of ops [first, last]; runs with the same first op are quickest in order.
  void find(OpIndex first, OpIndex last);
  /// Weights fetched more than once by every tiling of that run, and how often at least. Nothing
  /// where they may all stay in memory.
  [[nodiscard]] const std::vector<std::pair<TensorIndex, std::int64_t>>& times() const {
    return times_;
  }

 private:
  struct Use {
    OpIndex reader = 0;
    bool all_channels = false;   ///< reads all channels of what it reads
    bool same_channels = false;  ///< reads those channels that it makes
    bool something = false;      ///< reads something whenever it runs
  };
  [[nodiscard]] Use use_of(OpIndex reader, std::size_t position) const;
  [[nodiscard]] bool leaves(OpIndex op, OpIndex last) const;
  [[nodiscard]] bool makes_all_channels(OpIndex op, OpIndex first, OpIndex last) const;
  [[nodiscard]] bool may_stay(OpIndex first, OpIndex last);

  const Network& network_;
  const std::vector<std::optional<OpIndex>>& last_readers_;
  std::vector<Size> passing_;
  Size room_ = 0;                                  ///< of all memories on the chip
  bool can_stay_ = false;                          ///< the profile allows resident weights
  bool tiles_alone_ = false;                       ///< no tile relies on what another one left
  std::vector<std::vector<TensorIndex>> weights_;  ///< per op: those that go with its channels
  std::vector<std::vector<TensorIndex>> all_weights_;
  std::vector<std::vector<Use>> uses_;  ///< per op: of its outputs
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

}  // namespace tessera
