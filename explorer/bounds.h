// What no plan of a network on a machine can beat, without planning. Private to explorer/.
//
//   const LeastCost least = least_cost(network, hardware, score);
//   if (least.score >= finished.score) ...
//
// Runs of ops are bounded as the planner bounds them (cost/run_bound.h), and every figure by itself
// is added up over the cover that is best for it.
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

/// `residency`: whatever stays on the chip over cuts and comes early (PlanParams::residency).
/// require: check_network(network) is empty. Throws std::invalid_argument for hardware that cannot
/// be simulated.
[[nodiscard]] LeastCost least_cost(const Network& network, const Hardware& hardware,
                                   const cost::Score& score, bool residency);

}  // namespace tessera::explorer
