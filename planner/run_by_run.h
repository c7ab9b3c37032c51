// Improves a complete plan group by group.
//
//   if (take_run_by_run(network, hardware, params, plan)) ...  // the score is lower
//
// A group of one op may access off-chip memory directly (TileVariant::direct). The last ops of a
// longer group may be pipelined with the next tile (TileVariant::trailing). Groups and resident
// tensors are fixed before. The search starts at that plan, so the score never increases.
// without it is the start, so no plan gets worse for it.
#pragma once

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

/// True if a compute engine may access off-chip memory directly.
[[nodiscard]] bool may_be_direct(const Hardware& hardware);

/// require: may_be_direct(hardware) or tiling::works_side_by_side(hardware); the plan is feasible
/// and described. Evaluates at most params.tile_shapes shapes.
bool take_run_by_run(const Network& network, const Hardware& hardware, const PlanParams& params,
                     NetworkPlan& plan);

}  // namespace tessera::planner
