// Buffers whose distance is fixed by relations: `same_offset` and `adjacent`.
//
//   if (rigid_clash(problem, poll)) return Outcome::refuted;
//
// The solver raises lower bounds. If two such buffers may not share bytes but always do, it would
// raise both byte by byte up to the capacity, with every other decision between.
#pragma once

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::search::guided {

/// Do the fixed distances contradict each other, or make two buffers overlap that may not? False
/// proves nothing. Throws BudgetEnded.
/// require: validate(problem) is empty, no buffer has parts.
[[nodiscard]] bool rigid_clash(const PlacementProblem& problem, Poll& poll);

}  // namespace tessera::search::guided
