// Weights that come early: a run loads those of the next one, or of one after that, while it works,
// where that makes a plan better.
//
//   if (may_come_early(network, hardware) && take_early(network, hardware, params, plan)) ...
//
// A weight that stays through all tiles of its run (WeightPolicy::resident) is loaded in the first
// tile of a run before, once that has what it needs itself: PlannedSubgraph::ahead and ::early. It
// then lies at one address through both runs and those between (::passing). One that several runs
// read is loaded for the first of them, and may wait there for the next: ::ahead of the one and
// ::early of the other. Which runs there are
// and how they are tiled is settled before: what was found without is the start, so no plan gets
// worse for it. Private to planner/.
#pragma once

#include <set>
#include <string>

#include "cost/score.h"
#include "model/budget.h"
#include "model/shared_work.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

/// Is there anything to try?
[[nodiscard]] bool may_come_early(const Network& network, const Hardware& hardware);

/// Those that more than one op reads, by name.
[[nodiscard]] std::set<std::string> shared_weights(const Network& network);

/// require: may_come_early(); the plan is feasible, and described.
bool take_early(const Network& network, const Hardware& hardware, const PlanParams& params,
                Helpers helpers, NetworkPlan& plan);

}  // namespace tessera::planner
