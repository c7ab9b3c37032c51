// The cost of goals beyond a fit, shared by the race, the planner and its tests.
#pragma once

#include "engine/engine.h"

namespace tessera::engine {

/// The soft cost of the placement, or the number of distinct modes over all memories; 0 for
/// Objective::fit.
[[nodiscard]] Cost goal_value(const PlacementProblem& problem, const Placement& placement,
                              Objective goal);

/// A lower bound without a search: cost 0, or one mode for every memory that has steps.
[[nodiscard]] Cost goal_floor(const PlacementProblem& problem, Objective goal);

}  // namespace tessera::engine
