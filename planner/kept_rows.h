// Assigns the remaining free space to the first rows of tensors across cut points.
//
//   if (take_kept_rows(network, hardware, params, plan)) ...  // the score is lower
//
// A tensor that does not fit on chip as a whole may fit in part (tiling.stay of the profile,
// tiling/kept_rows.h). This search runs after groups, tilings and other resident tensors are fixed.
// It starts at that plan, so the score never increases. Private to planner/.
#pragma once

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

[[nodiscard]] bool may_keep_rows(const Network& network, const Hardware& hardware);

/// require: may_keep_rows(network, hardware); the plan is feasible and described; params.memory is
/// set.
bool take_kept_rows(const Network& network, const Hardware& hardware, const PlanParams& params,
                    NetworkPlan& plan);

}  // namespace tessera::planner
