// Restricts every buffer to one of its permitted memories, so that memories become separate
// problems.
//
//   if (auto tied = tie_memories(problem, seed)) place_each_memory(*tied);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/problem.h"

namespace tessera::search {

/// The problem with exactly one memory per buffer, chosen so that loads are low relative to the
/// capacities and the relations between memories hold. Other seeds give other choices; without a
/// choice, the problem itself. Nothing: a relation could not be satisfied.
[[nodiscard]] std::optional<PlacementProblem> tie_memories(const PlacementProblem& problem,
                                                           std::uint64_t seed);

/// The first relation between memories that the buffers' own lists violate, as a sentence.
/// require: every buffer is restricted to one memory.
[[nodiscard]] std::optional<std::string> memories_contradict(const PlacementProblem& problem);

}  // namespace tessera::search
