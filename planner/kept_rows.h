// What room is left at last goes to the first rows of tensors over cuts.
//
//   if (take_kept_rows(network, hardware, params, plan)) ...  // the plan scores less than before
//
// A tensor that has no room on the chip as a whole may have some for a part of it (tiling.stay of
// the profile, tiling/kept_rows.h). That is decided when runs, tiles and all else that stays are
// settled: what was found without is the start, so no plan gets worse for it. Private to planner/.
#pragma once

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

[[nodiscard]] bool may_keep_rows(const Network& network, const Hardware& hardware);

/// require: may_keep_rows(network, hardware); the plan is feasible, and described;
/// params.memory is there.
bool take_kept_rows(const Network& network, const Hardware& hardware, const PlanParams& params,
                    NetworkPlan& plan);

}  // namespace tessera::planner
