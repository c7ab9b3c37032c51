// Phases by contention: which buffers are placed together, and in which order (TelaMalloc, 5.3).
//
//   const Contention contention = contention_of(problem, poll);
//   contention.phase[b];                                       // 0 is placed first
//
// The contention of a step is its load divided by the capacity. For thresholds from 100 %
// downwards, consecutive steps at or above the threshold form a phase; a buffer belongs to the
// first phase it touches.
#pragma once

#include <cstdint>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::search::guided {

struct Contention {
  /// By buffer, the phase in which it is placed. Time is first split into ranges that no buffer
  /// crosses: all phases of one range come before those of the next.
  std::vector<std::uint32_t> phase;
  std::vector<double> most;  ///< by buffer: the largest contention during its life
};

/// Throws BudgetEnded.
[[nodiscard]] Contention contention_of(const PlacementProblem& problem, Poll& poll);

}  // namespace tessera::search::guided
