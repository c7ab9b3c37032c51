// One query: build the rules, search, decode.
#pragma once

#include "engine.h"
#include "engine/engine.h"

namespace tessera::search::learning {

/// require: as PlacementEngine::solve. `like`, which may be null, is a placement of the same
/// buffers at other sizes, to be tried first.
[[nodiscard]] engine::SearchResult solve_once(const PlacementProblem& problem,
                                              const LearningParams& learning,
                                              const engine::SearchParams& params,
                                              const Placement* like);

}  // namespace tessera::search::learning
