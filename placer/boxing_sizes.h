// From how many buffers on boxing (search/placement/boxing) is asked before a complete search.
// Private to placer/.
//
//   if (problem.buffers.size() >= boxing_lowers_from) start = box(problem, ...);
//
// The two questions differ in what a complete search does with them. Whether everything fits is
// mostly decided in a few nodes, so boxing has to wait until each node takes long. A least height
// is many such questions, the first of them far from the answer: the sooner a low placement is
// there, the fewer there are.
#pragma once

#include <cstddef>

namespace tessera::placer {

/// "Does it fit?": boxing comes before the canonical search, and into the race.
inline constexpr std::size_t boxing_fits_from = 1'000;

/// "How low?": boxing finds low placements sooner than any search from scratch.
inline constexpr std::size_t boxing_lowers_from = 500;
/// Beyond, no complete search would end: all the time there is goes into boxing.
inline constexpr std::size_t search_lowers_up_to = 3'000;

}  // namespace tessera::placer
