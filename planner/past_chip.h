// What engines read and write off the chip themselves, where that makes a plan better.
//
//   if (take_direct(network, hardware, params, plan)) ...      // the plan scores less than before
//
// Runs of one op are tried so at last (TileVariant::direct), when it is settled which ops run
// together and what stays on the chip between them: what was found without it is the start, so no
// plan gets worse for it.
#pragma once

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

/// Is there anything to try?
[[nodiscard]] bool may_be_direct(const Hardware& hardware);

/// require: may_be_direct(hardware); the plan is feasible, and described. Looks at as many shapes
/// as params.tile_shapes says.
bool take_direct(const Network& network, const Hardware& hardware, const PlanParams& params,
                 NetworkPlan& plan);

}  // namespace tessera::planner
