// Phases by contention: which buffers are placed together, and in which order (TelaMalloc, 5.3).
//
//   const Contention contention = contention_of(problem, poll);
//   contention.phase[b];                                       // 0 is placed first
//
// The contention of a step is its load by the capacity. From 100 % downwards, the contiguous steps
// at or over a threshold form a phase; a buffer belongs to the first phase it touches.
#pragma once

#include <cstdint>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::search::guided {

struct Contention {
  /// Of every buffer, the phase it is placed in. Ranges of time that no buffer crosses are split
  /// first: phases of one come after all phases of the one before.
  std::vector<std::uint32_t> phase;
  std::vector<double> most;  ///< of every buffer: the largest contention of a step it lives at
};

/// Throws BudgetEnded.
[[nodiscard]] Contention contention_of(const PlacementProblem& problem, Poll& poll);

}  // namespace tessera::search::guided
