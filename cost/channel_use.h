// Which ops of a run make all of their channels whenever they run, and what that says of weights.
//
//   const ChannelUse use(net, readers);                       // readers = last_readers(net)
//   for (TensorIndex w : use.in_every_tile(run, anchor)) ...  // all of it, in each tile
//
// An op that makes all of its channels needs all of its weights. Whether it does follows from the
// ops that read from it: a convolution reads all channels, a pooling those that it makes.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tessera/network.h"

namespace tessera::cost {

class ChannelUse {
 public:
  struct Use {
    OpIndex reader = 0;
    bool all_channels = false;       ///< reads all channels of what it reads
    bool same_channels = false;      ///< reads those channels that it makes
    bool something = false;          ///< reads something whenever it runs
    bool something_for_all = false;  ///< and whenever it makes all of its channels
    [[nodiscard]] bool is_read(bool makes_all) const {
      return something || (something_for_all && makes_all);
    }
  };
  /// require: both outlive this; readers is last_readers(network).
  ChannelUse(const Network& network, const std::vector<std::optional<OpIndex>>& readers);

  /// How the output of an op is read.
  [[nodiscard]] const std::vector<Use>& uses(OpIndex op) const { return uses_[op]; }
  /// Weights of an op that go with its channels, and all of them; sorted.
  [[nodiscard]] const std::vector<TensorIndex>& weights(OpIndex op) const { return weights_[op]; }
  [[nodiscard]] const std::vector<TensorIndex>& all_weights(OpIndex op) const {
    return all_weights_[op];
  }
  /// Does an output of the op leave a run that ends with `last`?
  [[nodiscard]] bool leaves(OpIndex op, OpIndex last) const;
  /// Per op of the run, from its first: does it make all channels whenever it runs?
  void find_all_channels(OpRange run, std::vector<bool>& all_channels) const;
  /// Weights that each tile of the run needs whole, given that op `anchor` runs in each of them;
  /// sorted. Depends on nothing but the structure of the run.
  [[nodiscard]] std::vector<TensorIndex> in_every_tile(OpRange run, OpIndex anchor) const;

 private:
  [[nodiscard]] Use use_of(OpIndex reader, std::size_t position) const;

  const Network& network_;
  const std::vector<std::optional<OpIndex>>& last_readers_;
  std::vector<std::vector<TensorIndex>> weights_;  ///< per op
  std::vector<std::vector<TensorIndex>> all_weights_;
  std::vector<std::vector<Use>> uses_;                       ///< per op: of its outputs
  std::vector<std::vector<std::pair<OpIndex, Use>>> reads_;  ///< per op: the same by who reads
  /// Per concatenation: who makes each operand, nothing for what no op makes.
  std::vector<std::vector<std::optional<OpIndex>>> one_of_;
};

}  // namespace tessera::cost
