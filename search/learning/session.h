// A problem loaded once and asked with many sizes.
//
// Kept are the orders of earlier placements: for new sizes the same order is often right again, and
// a search for them tries the last one first. Nearly all work of a sequence of sizes is its one
// hardest question; clauses learned at other sizes did not make that one easier. Old answers are
// kept by whoever opens the session (engine/session.h).
#pragma once

#include <memory>

#include "engine.h"
#include "engine/engine.h"

namespace tessera::search::learning {

[[nodiscard]] std::unique_ptr<engine::PlacementSession> make_session(
    const PlacementProblem& problem, const LearningParams& params);

}  // namespace tessera::search::learning
