// Phases by contention: which buffers are placed together, and in which order (TelaMalloc, 5.3).
//
//   std::vector<std::uint32_t> phase = contention_phases(problem, poll);   // by buffer, 0 first
//
// The contention of a step is its load by the capacity. From 100 % downwards, the contiguous steps
// at or over a threshold form a phase; a buffer belongs to the first phase it touches.
#pragma once

#include <cstdint>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::guided {

/// Of every buffer, the phase it is placed in. Ranges of time that no buffer crosses are split
/// first: phases of one come after all phases of the one before. Throws BudgetEnded.
[[nodiscard]] std::vector<std::uint32_t> contention_phases(const PlacementProblem& problem,
                                                           Poll& poll);

/// Of every buffer, the largest contention of a step it lives at. Throws BudgetEnded.
[[nodiscard]] std::vector<double> contention_of_buffers(const PlacementProblem& problem,
                                                        Poll& poll);

}  // namespace tessera::guided
