// A plan, once: the best cover by runs in the fewest tiles, made cheaper.
//
//   const Planned first = plan_once(network, hardware, params);
//   const Planned lower = plan_once(network, hardware, params, {.most_peak = 262144});
//   if (lower.plan.score < first.plan.score) use(lower.plan);
//
// plan_network() asks more than once where less memory may do better.
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

/// Of what there is.
struct PlanPart {
  double share = 1;                                   ///< of the memory, for tiles
  Size most_peak = std::numeric_limits<Size>::max();  ///< of any run
  std::vector<TensorIndex> stays{};  ///< on the chip, over whatever cuts (tiling::may_stay())
  bool quick = false;  ///< a few looks for cheaper tiles: to see whether it is worth more of them
  /// Nothing but a plan that scores less is of use, and a proof where there is none (prove.h): all
  /// that is made of a plan which is no better are its bound and whether that is proved.
  std::optional<double> prove_below{};
  std::int64_t proof_shapes = 0;  ///< so many are looked at for it
  /// The proof is of plans with whatever weights come early, and finds none. For one DMA channel.
  bool early = false;
  /// Covers in the fewest tiles that cost as much are not worth looking for cheaper ones.
  double worth_below = std::numeric_limits<double>::infinity();
  bool side_by_side = false;    ///< covers of runs whose last ops may trail
  SharedWork* outer = nullptr;  ///< of the job that this is a part of
};

struct Planned {
  NetworkPlan plan;
  /// What the best cover in the fewest tiles costs, as far as that was found out.
  double fewest = std::numeric_limits<double>::infinity();
};

/// Throws BadInput, and std::invalid_argument for a machine that cannot be simulated.
[[nodiscard]] Planned plan_once(const Network& network, const Hardware& hardware,
                                const PlanParams& params, const PlanPart& part = {});

/// All that is tried, one plan after the other: less of the memory, what stays on the chip, and so
/// on, with a proof at the end. Tensors lie off the chip as the network says (Tensor::joined).
/// Throws as plan_once().
[[nodiscard]] NetworkPlan plan_fully(const Network& network, const Hardware& hardware,
                                     const PlanParams& params);

/// What is found at last may be so much better than it looked: no more than that is worth a look.
inline constexpr double nearly_as_good = 1.02;
/// In networks of no more ops more is tried: all sets of tensors that stay, every op past the chip.
inline constexpr std::size_t few_ops = 12;

/// Are tiles that leave some memory empty worth a look? Where peaks count.
[[nodiscard]] bool tries_levels(const PlanParams& params, const Hardware& hardware);

/// A power of two or one of so many pieces between two of them, a twentieth below the peak or more:
/// the same for every machine, so that one with more memory is planned for as the one with less
/// was. 0: there is none.
[[nodiscard]] Size level_below(Size peak, Size pieces = 2);

/// Did something end a search that is not the same in every run?
[[nodiscard]] constexpr bool cut_short(StopReason stop) {
  return stop == StopReason::time_limit || stop == StopReason::memory_limit ||
         stop == StopReason::interrupted;
}

struct ImpossibleOp {
  std::string sentence;                 ///< "" if there is none
  std::optional<StopReason> stopped{};  ///< of the search for how many bytes it lacks
};

/// The first op that fits with no tile.
[[nodiscard]] ImpossibleOp impossible_op(const Network& network, const Hardware& hardware,
                                         const SingleOps& singles, const Budget& budget);

/// Why no cover keeps what was asked for, in words. `op`: impossible_op() of the machine within the
/// limits on peaks, or "".
[[nodiscard]] std::string why_no_cover(const Network& network, const Hardware& hardware,
                                       const PlanParams& params, const std::string& op);

}  // namespace tessera::planner
