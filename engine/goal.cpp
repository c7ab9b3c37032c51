#include "engine/goal.h"

#include <set>
#include <string_view>

#include "model/derived.h"
#include "tessera/check.h"

namespace tessera::engine {

Cost goal_value(const PlacementProblem& problem, const Placement& placement, Objective goal) {
  if (goal == Objective::cost) return soft_cost(problem, placement);
  if (goal == Objective::fit) return 0;
  Cost used = 0;
  if (goal == Objective::switches) {
    for (const auto& steps : placement.modes)
      for (std::size_t t = 1; t < steps.size(); ++t) used += steps[t] != steps[t - 1] ? 1 : 0;
    return used;
  }
  for (const auto& steps : placement.modes)
    used += static_cast<Cost>(std::set<std::string_view>(steps.begin(), steps.end()).size());
  return used;
}

Cost goal_floor(const PlacementProblem& problem, Objective goal) {
  if (goal != Objective::modes || horizon(problem) == 0) return 0;
  Cost floor = 0;
  for (const Memory& memory : problem.memories) floor += has_modes(memory) ? 1 : 0;
  return floor;
}

}  // namespace tessera::engine
