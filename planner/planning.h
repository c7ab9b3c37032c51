// One plan: the best partition in the fewest tiles, then with cheaper tiles.
//
//   const Planned first = plan_once(network, hardware, params);
//   const Planned lower = plan_once(network, hardware, params, {.most_peak = 262144});
//   if (lower.plan.score < first.plan.score) use(lower.plan);
//
// plan_network() makes several plans if less memory may lower the score.
// Private to planner/.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/shared_work.h"
#include "planner/baseline.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

/// Restrictions of one plan.
struct PlanPart {
  double share = 1;                                   ///< fraction of the memory for tiles
  Size most_peak = std::numeric_limits<Size>::max();  ///< limit on the peak of every group
  std::vector<TensorIndex> stays{};  ///< resident over all cut points (tiling::may_stay())
  bool quick = false;  ///< few searches for cheaper tiles: a quick test of the restrictions
  /// Only a plan with a lower score is of use, else a proof that none exists (prove.h). A plan that
  /// is no better has only its bound, and whether that is proved.
  std::optional<double> prove_below{};
  std::int64_t proof_shapes = 0;  ///< limit on shapes evaluated for the proof
  /// The proof covers plans with any weight prefetch, and finds none. For one DMA channel.
  bool early = false;
  /// Partitions in the fewest tiles with at least this cost are not refined.
  double worth_below = std::numeric_limits<double>::infinity();
  bool side_by_side = false;    ///< also partitions with pipelined last ops
  SharedWork* outer = nullptr;  ///< of the enclosing job
};

struct Planned {
  NetworkPlan plan;
  /// Cost of the best partition in the fewest tiles; infinite if unknown.
  double fewest = std::numeric_limits<double>::infinity();
};

/// Throws BadInput, and std::invalid_argument for a machine that cannot be simulated.
[[nodiscard]] Planned plan_once(const Network& network, const Hardware& hardware,
                                const PlanParams& params, const PlanPart& part = {});

/// Runs all phases in turn, such as less memory and residency, with the proof at the end. Off-chip
/// tensors lie as the network says (Tensor::joined).
/// Throws as plan_once().
[[nodiscard]] NetworkPlan plan_fully(const Network& network, const Hardware& hardware,
                                     const PlanParams& params);

/// Expected improvement by the later phases: plans within this factor of the best are kept.
inline constexpr double nearly_as_good = 1.02;
/// Networks of at most this many ops get more searches: all sets of resident tensors, and direct
/// off-chip access for every op.
inline constexpr std::size_t few_ops = 12;

/// True if peaks have a weight, so that tiles which leave memory free may score less.
[[nodiscard]] bool tries_levels(const PlanParams& params, const Hardware& hardware);

/// The next smaller memory size: a power of two, or one of `pieces` equal steps between two powers,
/// at least 5 % below the peak. Sizes are the same for every machine, so a plan for less memory is
/// also tried on a machine with more. 0: there is none.
[[nodiscard]] Size level_below(Size peak, Size pieces = 2);

/// True for stop reasons that depend on the run time environment.
[[nodiscard]] constexpr bool cut_short(StopReason stop) {
  return stop == StopReason::time_limit || stop == StopReason::memory_limit ||
         stop == StopReason::interrupted;
}

struct ImpossibleOp {
  std::string sentence;                 ///< "" if every op fits
  std::optional<StopReason> stopped{};  ///< of the search for the number of missing bytes
};

/// The first op that fits with no tile.
[[nodiscard]] ImpossibleOp impossible_op(const Network& network, const Hardware& hardware,
                                         const SingleOps& singles, const Budget& budget);

/// A sentence that explains why no partition meets the requirements. `op`: impossible_op() of the
/// machine within the peak limits, or "".
[[nodiscard]] std::string why_no_cover(const Network& network, const Hardware& hardware,
                                       const PlanParams& params, const std::string& op);

}  // namespace tessera::planner
