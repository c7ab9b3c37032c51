// Ties every buffer to one of its allowed memories, so that the memories become separate problems.
//
//   if (auto tied = tie_memories(problem, seed)) place_each_memory(*tied);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/problem.h"

namespace tessera::search {

/// The same problem with exactly one memory in every buffer's list, chosen so that loads stay low
/// compared with the capacities and the relations between memories hold. Other seeds give other
/// choices; the problem itself where there is no choice. Nothing: a relation could not be kept.
[[nodiscard]] std::optional<PlacementProblem> tie_memories(const PlacementProblem& problem,
                                                           std::uint64_t seed);

/// The first relation between memories that the buffers' own lists break, as a sentence.
/// require: every buffer is tied to one memory.
[[nodiscard]] std::optional<std::string> memories_contradict(const PlacementProblem& problem);

}  // namespace tessera::search
