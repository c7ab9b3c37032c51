// check_plan() with several threads. Private to planner/.
//
//   const std::vector<std::string> wrong = plan_wrong(network, hardware, plan, threads);
#pragma once

#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// Sentences, the same for every number of threads. Throws std::invalid_argument for a machine that
/// cannot be simulated.  require: network and hardware are valid.
[[nodiscard]] std::vector<std::string> plan_wrong(const Network& network, const Hardware& hardware,
                                                  const NetworkPlan& plan, int threads);

/// Adds a sentence for each metric of `of` where `said` differs from `right`.
void metrics_wrong(const std::string& of, const Metrics& right, const Metrics& said,
                   std::vector<std::string>& wrong);

}  // namespace tessera::planner
