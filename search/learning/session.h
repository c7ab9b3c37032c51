// A session of the learning engine: a problem solved for many sizes.
//
// It keeps the orders of earlier placements. For new sizes the same order is often valid, and a
// search tries the last one first. Nearly all work of a sequence of sizes is its one hardest query;
// clauses learned at other sizes did not make that query easier. The caller keeps old results
// (engine/session.h).
#pragma once

#include <memory>

#include "engine.h"
#include "engine/engine.h"

namespace tessera::search::learning {

[[nodiscard]] std::unique_ptr<engine::PlacementSession> make_session(
    const PlacementProblem& problem, const LearningParams& params);

}  // namespace tessera::search::learning
