// A problem loaded once and asked with many sizes.
//
// What is free to keep is kept: refutations (what did not fit at some sizes and capacities fits at
// no larger sizes and smaller capacities), placements (where everything lay for sizes at least
// these, it still may), and the order of the last placement, which a search for new sizes tries
// first. Nearly all work of a sequence of sizes is its one hardest question; clauses learned at
// other sizes did not make that one easier.
#pragma once

#include <memory>

#include "engine.h"
#include "model/engine.h"

namespace tessera::learning {

[[nodiscard]] std::unique_ptr<PlacementSession> make_session(const PlacementProblem& problem,
                                                             const LearningParams& params);

}  // namespace tessera::learning
