// Finds ops of a group that make all of their channels whenever they run, and the weights this
// implies.
//
//   const ChannelUse use(net, readers);                       // readers = last_readers(net)
//   for (TensorIndex w : use.in_every_tile(run, anchor)) ...  // all of it, in each tile
//
// An op that makes all of its channels needs all of its weights. Its readers decide that: a
// convolution reads all channels, a pooling only the channels that it makes.
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
    bool all_channels = false;   ///< reads all channels of the operand
    bool same_channels = false;  ///< reads the channels that it makes
    bool something = false;      ///< reads at least one element whenever it runs
    /// reads at least one element whenever it makes all of its channels
    bool something_for_all = false;
    [[nodiscard]] bool is_read(bool makes_all) const {
      return something || (something_for_all && makes_all);
    }
  };
  /// require: both arguments outlive this object; readers is last_readers(network).
  ChannelUse(const Network& network, const std::vector<std::optional<OpIndex>>& readers);

  /// How the output of an op is read.
  [[nodiscard]] const std::vector<Use>& uses(OpIndex op) const { return uses_[op]; }
  /// Weights that are split along the channels of the op, and weights that are not; sorted.
  [[nodiscard]] const std::vector<TensorIndex>& weights(OpIndex op) const { return weights_[op]; }
  [[nodiscard]] const std::vector<TensorIndex>& all_weights(OpIndex op) const {
    return all_weights_[op];
  }
  /// Is an output of the op read outside a group that ends with `last`?
  [[nodiscard]] bool leaves(OpIndex op, OpIndex last) const;
  /// Per op of the group: does it make all channels whenever it runs?
  void find_all_channels(OpRange run, std::vector<bool>& all_channels) const;
  /// Weights that each tile of the group needs whole if op `anchor` runs in each of them; sorted.
  /// Depends only on the structure of the group.
  [[nodiscard]] std::vector<TensorIndex> in_every_tile(OpRange run, OpIndex anchor) const;

 private:
  [[nodiscard]] Use use_of(OpIndex reader, std::size_t position) const;

  const Network& network_;
  const std::vector<std::optional<OpIndex>>& last_readers_;
  std::vector<std::vector<TensorIndex>> weights_;  ///< per op
  std::vector<std::vector<TensorIndex>> all_weights_;
  std::vector<std::vector<Use>> uses_;  ///< per op: of its outputs
  /// per op: the same with the index of the reader
  std::vector<std::vector<std::pair<OpIndex, Use>>> reads_;
  /// Per concatenation: the producer of each operand; none for network inputs and weights.
  std::vector<std::vector<std::optional<OpIndex>>> one_of_;
};

}  // namespace tessera::cost
