// Sessions for all engines: a problem that is loaded once and solved with many sizes and
// capacities.
//
//   std::unique_ptr<PlacementSession> session = open_session(*engine, problem);
//   SearchResult first = session->solve(size_layer(problem), {});
//   SearchResult again = session->solve({.sizes = smaller, .capacities = same}, {});
//
// If earlier results decide a query, no search runs (memo.h). Otherwise the engine's own session
// solves it, with its engine-specific state.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace tessera::engine {

/// require: validate(problem) is empty for every size layer; the engine supports the problem and
/// outlives the session.
/// ensure: the same results as engine.solve(). Statistics count the queries decided from memory
/// ("session_*"). A query with a goal beyond a fit, or with a proof, always goes to the engine.
[[nodiscard]] std::unique_ptr<PlacementSession> open_session(PlacementEngine& engine,
                                                             const PlacementProblem& problem);

}  // namespace tessera::engine
