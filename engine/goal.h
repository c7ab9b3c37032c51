// What a goal beyond fitting counts, in one place for the race, the planner and its tests.
#pragma once

#include "engine/engine.h"

namespace tessera::engine {

/// What the placement pays: its soft cost, or the number of distinct modes it uses (over all
/// memories); 0 for Objective::fit.
[[nodiscard]] Cost goal_value(const PlacementProblem& problem, const Placement& placement,
                              Objective goal);

/// A bound that holds without any search: no cost; one mode for every memory that has steps.
[[nodiscard]] Cost goal_floor(const PlacementProblem& problem, Objective goal);

}  // namespace tessera::engine
