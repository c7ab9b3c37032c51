// Minimum cost of independent parts of a problem: the costs add up.
//
//   if (auto answer = decide_by_parts(problem, params, settings)) return std::move(*answer);
#pragma once

#include <optional>

#include "placer/decide.h"

namespace tessera::placer {

/// None if the problem is a single part or very large, or if the objective is not cost. Each part
/// gets a share of the time, smaller parts first; unused time goes to parts whose cost is not
/// proved.
[[nodiscard]] std::optional<Decision> decide_by_parts(const PlacementProblem& problem,
                                                      const engine::SearchParams& params,
                                                      const DecideParams& settings);

}  // namespace tessera::placer
