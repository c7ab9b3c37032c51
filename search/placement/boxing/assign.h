// Chooses a memory for each buffer that may use several.
//
//   std::vector<MemoryIndex> memory_of = assign_memories(problem, seed);
//
// Boxing works on one memory at a time, so the choice comes first. Buffers choose by descending
// size, each the memory with the lowest relative load during its life.
#pragma once

#include <vector>

#include "tessera/problem.h"

namespace tessera::search::boxing {

/// One permitted memory per buffer.
[[nodiscard]] std::vector<MemoryIndex> assign_memories(const PlacementProblem& problem);

}  // namespace tessera::search::boxing
