// Brings steps together, so that more items stay in fast memory between them.
//
//   const Neighbours better = bring_together(graph, costs, steps);
//   if (better.saved > 0) steps = better.steps;
//
// Pairs of steps are joined greedily, the largest saving first: the first one keeps items that only
// the second one reads. Schedules that run an op twice stay as they are.
#pragma once

#include <functional>
#include <vector>

#include "search/schedule/graph.h"

namespace tessera::search {

struct Neighbours {
  std::vector<GroupStep> steps{};
  double saved = 0;  ///< of the cost
};

/// require: `steps` is a schedule. ensure: so is the result, unless stop() held.
[[nodiscard]] Neighbours bring_together(const GroupGraph& graph, GroupCosts& costs,
                                        std::vector<GroupStep> steps,
                                        const std::function<bool()>& stop = {});

}  // namespace tessera::search
