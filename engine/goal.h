// The cost of goals beyond a fit, shared by the race, the planner and its tests.
#pragma once

#include "engine/engine.h"

namespace tessera::engine {

/// The soft cost of the placement, the number of distinct modes over all memories, or how often
/// their modes change from one step to the next; 0 for Objective::fit.
[[nodiscard]] Cost goal_value(const PlacementProblem& problem, const Placement& placement,
                              Objective goal);

/// A lower bound without a search: 0, but one mode for every memory that has steps.
[[nodiscard]] Cost goal_floor(const PlacementProblem& problem, Objective goal);

}  // namespace tessera::engine
