// A session for every engine: a problem loaded once, asked with many sizes and capacities.
//
//   std::unique_ptr<PlacementSession> session = open_session(*engine, problem);
//   SearchResult first = session->solve(size_layer(problem), {});
//   SearchResult again = session->solve({.sizes = smaller, .capacities = same}, {});
//
// What earlier answers say of the new numbers is known without a search (memo.h); else the engine's
// own session is asked, which keeps whatever only that engine can keep.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace tessera::engine {

/// require: validate(problem) is empty, and stays so with every size layer; the engine supports the
/// problem and outlives the session.
/// ensure: answers as engine.solve() does; statistics say how many questions were answered from
/// memory ("session_*"). A question about a goal beyond fitting, or with a proof, is always asked.
[[nodiscard]] std::unique_ptr<PlacementSession> open_session(PlacementEngine& engine,
                                                             const PlacementProblem& problem);

}  // namespace tessera::engine
