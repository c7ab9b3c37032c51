// What is looked at run by run when all else is settled, where that makes a plan better.
//
//   if (take_run_by_run(network, hardware, params, plan)) ...  // the plan scores less than before
//
// Runs of one op may read and write off the chip themselves (TileVariant::direct), and the last ops
// of longer ones may work beside the next tile's (TileVariant::trailing). That is tried at last,
// when it is settled which ops run together and what stays on the chip between them: what was found
// without it is the start, so no plan gets worse for it.
#pragma once

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

/// May an engine read or write off the chip itself?
[[nodiscard]] bool may_be_direct(const Hardware& hardware);

/// require: may_be_direct(hardware) or tiling::works_side_by_side(hardware); the plan is feasible,
/// and described. Looks at as many shapes as params.tile_shapes says.
bool take_run_by_run(const Network& network, const Hardware& hardware, const PlanParams& params,
                     NetworkPlan& plan);

}  // namespace tessera::planner
