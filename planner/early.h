// Weight prefetch: a group loads weights of a later group while it runs, if that lowers the score.
//
//   if (may_come_early(network, hardware) && take_early(network, hardware, params, plan)) ...
//
// A prefetched weight is resident through all tiles of its group (WeightPolicy::resident). It is
// loaded during the first tile of an earlier group, after that tile's own loads:
// PlannedSubgraph::ahead and ::early. The weight has one address in both groups and in those
// between them (::passing). A weight read by several groups is loaded for the first of them and may
// remain for the next one: ::ahead of the one and ::early of the other. Partition and tilings are
// fixed before. The search starts at the plan without prefetch, so the score never increases.
// Private to planner/.
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

/// False if there is nothing to try.
[[nodiscard]] bool may_come_early(const Network& network, const Hardware& hardware);

/// Names of the weights read by more than one op.
[[nodiscard]] std::set<std::string> shared_weights(const Network& network);

/// Bytes of off-chip traffic that plans save at most if such weights stay on chip from the first op
/// that reads them to the last.
[[nodiscard]] Size saved_by_shared_weights(const Network& network);

/// require: may_come_early(); the plan is feasible, and described.
bool take_early(const Network& network, const Hardware& hardware, const PlanParams& params,
                Helpers helpers, NetworkPlan& plan);

}  // namespace tessera::planner
