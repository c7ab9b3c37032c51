// Which memory does a buffer go to that may go to several?
//
//   std::vector<MemoryIndex> memory_of = assign_memories(problem, seed);
//
// Boxing works on one memory at a time, so the choice is made first: the largest buffers choose
// first, each the memory that stays emptiest, relative to its capacity, while the buffer lives.
#pragma once

#include <vector>

#include "tessera/problem.h"

namespace tessera::search::boxing {

/// One memory per buffer, one of its allowed ones.
[[nodiscard]] std::vector<MemoryIndex> assign_memories(const PlacementProblem& problem);

}  // namespace tessera::search::boxing
