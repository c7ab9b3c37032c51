// A session of the learning engine: a problem solved for many sizes.
//
// It keeps the orders of earlier placements, which are often valid for new sizes, and the rules
// with learned clauses (live.h). The caller keeps old results (engine/session.h).
#pragma once

#include <memory>

#include "engine.h"
#include "engine/engine.h"

namespace tessera::search::learning {

[[nodiscard]] std::unique_ptr<engine::PlacementSession> make_session(
    const PlacementProblem& problem, const LearningParams& params);

}  // namespace tessera::search::learning
