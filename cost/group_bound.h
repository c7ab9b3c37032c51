// Lower bound on the cost of a group of ops, over all tilings and placements.
//
//   GroupBounds bounds(net, hardware);
//   const Metrics least = bounds.of(first, last);
//
// Every tensor from outside is loaded once, every tensor that leaves is stored once, every op is
// computed once, and computing and moving overlap fully. If not all weights of a group can stay on
// chip, weights that each tile needs whole are fetched once per tile. Their number of tiles is the
// minimum (fetch_bound.h). Strided windows leave gaps that small tiles neither load nor compute;
// these are subtracted. Direct off-chip accesses of an engine, in a group of one op, cost nothing
// on chip.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cost/channel_use.h"
#include "cost/fetch_bound.h"
#include "cost/transfer.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::cost {

/// Tensors that may be resident across groups. With these excluded from all transfers, a bound
/// holds for every choice of resident tensors.
[[nodiscard]] std::vector<TensorIndex> possible_residents(const Network& network);

class GroupBounds {
 public:
  /// require: check_network(network) is empty; both outlive the bounds. Throws
  /// std::invalid_argument for hardware that cannot be simulated. `stays`: tensors that are never
  /// moved (sorted). `prefetch`: the previous group may have prefetched weights, up to the on-chip
  /// capacity; then the group does not wait for them. A weight that an earlier group reads, too,
  /// may still be on chip, so later groups do not count it.
  GroupBounds(const Network& network, const Hardware& hardware,
              std::span<const TensorIndex> stays = {}, bool prefetch = false);
  ~GroupBounds();

  /// Bound of the group [first, last]; fastest in order of last ops. Its peaks are 0. `kept`: more
  /// tensors that are never moved; fastest if they stay the same between calls.
  [[nodiscard]] Metrics of(OpIndex first, OpIndex last, std::span<const TensorIndex> kept = {});
  /// Bound of all ops together, over all partitions and weight prefetches: at most the sum of the
  /// bounds of the groups of any partition, and much faster to compute. Its peaks are 0.
  [[nodiscard]] Metrics of_all() const;

 private:
  struct Move {
    std::int64_t cycles = 0;
    std::int64_t loading = 0;  ///< cycles of the loading bandwidth
    std::int64_t storing = 0;
    std::int64_t fetching = 0;  ///< of weights from a separate memory
    Size bytes = 0;
    double energy_pj = 0;
    void add(const Move& other, std::int64_t times) {
      cycles += times * other.cycles;
      loading += times * other.loading;
      storing += times * other.storing;
      fetching += times * other.fetching;
      bytes += times * other.bytes;
      energy_pj += static_cast<double>(times) * other.energy_pj;
    }
  };
  struct OpShare {
    std::int64_t cycles = 0;
    double energy_pj = 0;
    std::size_t engine = 0;  ///< the engine that computes it; one for all if engines run in turn
  };
  struct Operand {
    TensorIndex storage = 0;
    double density = 1;  ///< share of the untiled tensor that any tiling reads
    bool even = true;    ///< and half of it for half of the op's output, and so on
    /// Minimum read if the op makes this share of its output.
    [[nodiscard]] double read_for(double made) const {
      return made >= 1 || even ? made * density : 0;
    }
  };
  /// A group that grows at its end, with every tensor moved once.
  struct Growing;
  /// A Growing with all repeated fetches.
  struct Whole;
  [[nodiscard]] Whole whole(OpIndex first, OpIndex last);
  /// `direct`: off-chip accesses by the engine itself.
  void add_op(Growing& run, OpIndex op, Direct direct = Direct::none) const;
  [[nodiscard]] Metrics metrics(const Growing& run, Move moved) const;
  void subtract_prefetch(const Growing& run, Move& moved) const;
  [[nodiscard]] Move move(TensorIndex tensor, double density, bool load, bool direct = false) const;
  void find_densities();
  void find_direct();
  void find_shares();
  [[nodiscard]] std::vector<Passing> passing() const;

  const Network& network_;
  const Hardware& hardware_;
  bool prefetch_;
  Links links_;
  std::vector<bool> stays_;                      ///< per tensor: resident on chip, never moved
  std::vector<Size> least_;                      ///< bytes per tensor, minimum over its readers
  std::vector<std::optional<OpIndex>> readers_;  ///< last reader per tensor (tiling/subgraph.h)
  std::vector<OpIndex> first_readers_;           ///< per tensor
  std::vector<std::vector<Operand>> operands_;   ///< per op
  std::vector<std::vector<TensorIndex>> outputs_;
  std::vector<double> density_;  ///< per tensor with memory: minimum share of it that its op makes
  std::vector<OpShare> shares_;
  // Ops that form a group alone: their direct accesses, and their remaining shares.
  std::vector<Direct> direct_;
  std::vector<OpShare> direct_shares_;
  std::vector<Move> stores_;  ///< per tensor
  ChannelUse channel_use_;
  // Scratch memory of of().
  std::unique_ptr<FetchBound> fetches_;
  std::unique_ptr<Growing> run_;
  std::unique_ptr<Whole> last_;  ///< the last result
};

}  // namespace tessera::cost
