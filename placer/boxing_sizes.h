// Buffer counts from which boxing (search/placement/boxing) precedes complete searches. Private to
// placer/.
//
//   if (problem.buffers.size() >= boxing_lowers_from) start = box(problem, ...);
//
// Complete searches usually decide whether all buffers fit within a few nodes, so boxing starts
// only at sizes where each node is slow. Minimising the height takes many such decisions, the first
// of them far from the optimum, so a low placement found early saves many of them.
#pragma once

#include <cstddef>

namespace tessera::placer {

/// Feasibility: boxing runs before canonical search, and in the race.
inline constexpr std::size_t boxing_fits_from = 1'000;

/// Height: boxing finds low placements sooner than any complete search.
inline constexpr std::size_t boxing_lowers_from = 500;
/// Above this size no complete search terminates: boxing gets all of the time.
inline constexpr std::size_t search_lowers_up_to = 3'000;

}  // namespace tessera::placer
