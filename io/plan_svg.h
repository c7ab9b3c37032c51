// A picture of a whole plan: time across, one block per subgraph, its memory use and its traffic.
//
//   write_output("plan.svg", plan_svg(plan));
#pragma once

#include <string>

#include "tessera/network_plan.h"

namespace tessera {

/// require: plan.status is feasible.
[[nodiscard]] std::string plan_svg(const NetworkPlan& plan);

}  // namespace tessera
