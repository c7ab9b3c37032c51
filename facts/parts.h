// Parts of a problem that have nothing to do with each other.
//
//   for (const auto& buffers : independent_parts(problem))
//     least += least_cost(restricted(problem, buffers).problem);     // costs add up
//
// Buffers belong together where they may meet (they live at one step and may go to one memory) or a
// relation names both. Whatever is chosen in one part leaves all choices of the others open.
#pragma once

#include <vector>

#include "tessera/problem.h"

namespace tessera::facts {

/// The buffers of each part, ascending. Parts without soft costs are one, which comes first;
/// nothing but that is told apart where a memory has modes, which all of its buffers share.
[[nodiscard]] std::vector<std::vector<BufferIndex>> independent_parts(
    const PlacementProblem& problem);

}  // namespace tessera::facts
