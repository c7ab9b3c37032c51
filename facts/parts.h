// Independent parts of a problem.
//
//   for (const auto& buffers : independent_parts(problem))
//     least += least_cost(restricted(problem, buffers).problem);     // costs add up
//
// Two buffers are in one part if they may conflict (live at one step and may use the same memory)
// or a relation names both. Choices in one part do not restrict the other parts.
#pragma once

#include <vector>

#include "tessera/problem.h"

namespace tessera::facts {

/// The buffers of each part, ascending; parts by their first buffer. If a memory has modes, all
/// buffers form one part, because they share the modes.
[[nodiscard]] std::vector<std::vector<BufferIndex>> all_parts(const PlacementProblem& problem);

/// The same, but all parts without soft costs form one part, which comes first.
[[nodiscard]] std::vector<std::vector<BufferIndex>> independent_parts(
    const PlacementProblem& problem);

}  // namespace tessera::facts
