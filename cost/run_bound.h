// What no tiling and no placement of a run of ops can beat.
//
//   RunBounds bounds(net, hardware);
//   const Metrics least = bounds.of(first, last);
//
// Every tensor from outside is loaded once, every tensor that leaves is stored once, every op is
// computed once, and computing and moving overlap fully. Where not all weights of a run can stay in
// memory, those that each tile needs whole are fetched as often as there have to be tiles
// (fetch_bound.h). Strided windows leave gaps that small tiles neither load nor compute; what may
// be left out is not counted. What an engine may read and write off the chip itself, of an op that
// runs alone, costs nothing on the chip.
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

/// Nothing that may stay on the chip over cuts is ever moved: then a bound holds whatever stays.
[[nodiscard]] std::vector<TensorIndex> whatever_stays(const Network& network);

class RunBounds {
 public:
  /// require: check_network(network) is empty; both outlive the bounds. Throws
  /// std::invalid_argument for hardware that cannot be simulated.
  /// `stays`: tensors that are never moved (sorted). `early`: the run before may have loaded
  /// weights, as many as there is room for on the chip; where they are loaded, nothing waits for
  /// them. What ops of several runs read the first of these may leave to the others.
  RunBounds(const Network& network, const Hardware& hardware,
            std::span<const TensorIndex> stays = {}, bool early = false);
  ~RunBounds();

  /// The bound of the run [first, last], quickest in the order of last ops. Its peaks are 0.
  /// `kept`: never moved either; quickest for one run after the other.
  [[nodiscard]] Metrics of(OpIndex first, OpIndex last, std::span<const TensorIndex> kept = {});
  /// What all ops take together in whatever runs they are, with whatever weights early: no more
  /// than the bounds of the runs of any cover, and much sooner there. Its peaks are 0.
  [[nodiscard]] Metrics of_all() const;

 private:
  struct Move {
    std::int64_t cycles = 0;
    std::int64_t loading = 0;  ///< of the bandwidth for it
    std::int64_t storing = 0;
    std::int64_t fetching = 0;  ///< of weights, of a memory of their own
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
    std::size_t engine = 0;  ///< that takes them; of all where engines work in turn
  };
  struct Operand {
    TensorIndex storage = 0;
    double density = 1;  ///< of the untiled tensor, that any tiling reads
    bool even = true;    ///< and no less than half of it for half of what the op makes, and so on
    /// What is read at least if the op makes this share of its output.
    [[nodiscard]] double read_for(double made) const {
      return made >= 1 || even ? made * density : 0;
    }
  };
  /// A run that grows at its end, with every tensor moved once.
  struct Growing;
  /// And what it moves with all that is fetched again.
  struct Whole;
  [[nodiscard]] Whole whole(OpIndex first, OpIndex last);
  /// `direct`: what may be read and written off the chip, by the engine itself.
  void add_op(Growing& run, OpIndex op, Direct direct = Direct::none) const;
  [[nodiscard]] Metrics metrics(const Growing& run, Move moved) const;
  void leave_out_early(const Growing& run, Move& moved) const;
  [[nodiscard]] Move move(TensorIndex tensor, double density, bool load, bool direct = false) const;
  void find_densities();
  void find_direct();
  void find_shares();
  [[nodiscard]] std::vector<Passing> passing() const;

  const Network& network_;
  const Hardware& hardware_;
  bool early_;
  Links links_;
  std::vector<bool> stays_;  ///< per tensor: it is on the chip, and never moved
  std::vector<Size> least_;  ///< bytes per tensor, as anybody who reads it finds it
  std::vector<std::optional<OpIndex>> readers_;  ///< last reader per tensor (tiling/subgraph.h)
  std::vector<OpIndex> first_readers_;           ///< per tensor
  std::vector<std::vector<Operand>> operands_;   ///< per op
  std::vector<std::vector<TensorIndex>> outputs_;
  std::vector<double> density_;  ///< per tensor with memory: of what its op makes of it
  std::vector<OpShare> shares_;
  // Of ops that run alone: what may be direct, and what that leaves of their shares.
  std::vector<Direct> direct_;
  std::vector<OpShare> direct_shares_;
  std::vector<Move> stores_;  ///< per tensor
  ChannelUse channel_use_;
  // Working memory of of().
  std::unique_ptr<FetchBound> fetches_;
  std::unique_ptr<Growing> run_;
  std::unique_ptr<Whole> last_;  ///< that was asked for
};

}  // namespace tessera::cost
