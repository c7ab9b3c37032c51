// Lower bound on all plans of a network on a machine, without planning. Private to explorer/.
//
//   const LeastCost least = least_cost(network, hardware, score);
//   if (least.score >= finished.score) ...
//
// Groups of ops are bounded as in the planner (cost/group_bound.h). Each metric is summed over the
// partition that minimises it.
#pragma once

#include "cost/score.h"
#include "tessera/hardware.h"
#include "tessera/network.h"

namespace tessera::explorer {

struct LeastCost {
  double latency_cycles = 0;
  double energy_pj = 0;
  double dram_bytes = 0;
  double score = 0;
};

/// `residency`: weight prefetch and resident tensors across groups are allowed
/// (PlanParams::residency). require: check_network(network) is empty. Throws std::invalid_argument
/// for hardware that cannot be simulated.
[[nodiscard]] LeastCost least_cost(const Network& network, const Hardware& hardware,
                                   const cost::Score& score, bool residency);

}  // namespace tessera::explorer
