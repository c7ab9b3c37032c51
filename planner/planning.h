// The best partition with the largest tile of each group, as one plan.
//
//   const NetworkPlan plan = plan_once(network, hardware, params);
//
// Private to planner/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "planner/baseline.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

/// `stays`: tensors that are resident over every cut point (tiling::may_stay()).
/// Throws BadInput, and std::invalid_argument for a machine that cannot be simulated.
[[nodiscard]] NetworkPlan plan_once(const Network& network, const Hardware& hardware,
                                    const PlanParams& params,
                                    const std::vector<TensorIndex>& stays = {});

/// The best plan of all phases. Tensors are off chip as the network says (Tensor::joined).
/// Throws as plan_once().
[[nodiscard]] NetworkPlan plan_fully(const Network& network, const Hardware& hardware,
                                     const PlanParams& params);

/// A power of two, or one and a half of it, a twentieth or more below the peak: the same on every
/// machine, so that plans for more memory include those for less. 0: there is none.
[[nodiscard]] Size level_below(Size peak);

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
