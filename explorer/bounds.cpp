#include "explorer/bounds.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cost/run_bound.h"
#include "model/numeric.h"
#include "planner/pinned.h"

namespace tessera::explorer {

LeastCost least_cost(const Network& network, const Hardware& hardware, const cost::Score& score,
                     bool residency) {
  using Costs = std::array<double, 4>;
  const std::size_t ops = network.ops.size();
  std::vector<TensorIndex> stays;
  if (residency) stays = cost::whatever_stays(network);
  const bool early = residency && hardware.tiling.early == Early::weights;
  const Network least_moved = planner::with_all_pinned(network, hardware);
  cost::RunBounds bounds(least_moved, hardware, stays, early);
  // least[k]: of the ops before k.
  std::vector<Costs> least(ops + 1, {infinity, infinity, infinity, infinity});
  least[0] = {};
  for (OpIndex first = 0; first < ops; ++first)
    for (OpIndex last = first; last < ops; ++last) {
      const Metrics run = bounds.of(first, last);
      const Costs costs{static_cast<double>(run.latency_cycles), run.energy_pj,
                        static_cast<double>(run.dram_bytes), cost::additive_score(score, run)};
      for (std::size_t k = 0; k < costs.size(); ++k)
        least[last + 1][k] = std::min(least[last + 1][k], least[first][k] + costs[k]);
    }
  // Sums of rounded parts may exceed the rounded sum by a hair.
  constexpr double safe = 1 - tolerance;
  const Costs& all = least[ops];
  return {all[0] * safe, all[1] * safe, all[2] * safe, all[3] * safe};
}

}  // namespace tessera::explorer
