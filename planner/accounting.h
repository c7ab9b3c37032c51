// The accounting of a complete plan: its ops, its groups and all of it.
// Private to planner/.
//
//   plan.accounting = accounting_of(network, hardware, plan, threads);
#pragma once

#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// require: check_plan() accepts the plan, whose status is feasible and which has layers; network
/// and hardware are those of as_planned().
[[nodiscard]] PlanAccounting accounting_of(const Network& network, const Hardware& hardware,
                                           const NetworkPlan& plan, int threads);

/// Sentences about differences between two accountings of one plan.
[[nodiscard]] std::vector<std::string> accounting_wrong(const PlanAccounting& right,
                                                        const PlanAccounting& said);

}  // namespace tessera::planner
