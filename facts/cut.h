// Cuts: sets of buffers that may not share addresses and need more bytes than available.
//
//   if (const std::optional<Cut> cut = find_cut(problem))
//     std::cout << describe(problem, *cut);      // "At step 3, 5 buffers occupy 130 bytes, ..."
//
// A cut is complete in itself: proof/ checks it by adding up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/budget.h"
#include "tessera/problem.h"

namespace tessera::facts {

struct Cut {
  std::optional<Step> step;           ///< a step at which all are live; none: they count as a whole
  std::optional<AddressRange> range;  ///< contains all of them in every placement; none: anywhere
  Size grain = 1;  ///< every offset is a multiple, so sizes are rounded up to it except for the top
                   ///< buffer of each free range
  std::vector<MemoryIndex> memories;  ///< the only memories that the buffers may use, ascending
  std::vector<BufferIndex> buffers;   ///< ascending
  Size asked = 0;                     ///< bytes needed
  Size available = 0;                 ///< bytes available: capacities without reserved ranges
};

/// Searches for a cut: the load of every step, in each memory and in all together, and the
/// additional load caused by confined addresses and alignment. Near-linear. Finds no cut that needs
/// a search, and none if the budget ends.
/// require: validate(problem) is empty, except that capacities may be 0.
[[nodiscard]] std::optional<Cut> find_cut(const PlacementProblem& problem,
                                          const Budget& budget = {});

/// "At step 3, 5 buffers need 130 bytes, but sram has 128."
[[nodiscard]] std::string describe(const PlacementProblem& problem, const Cut& cut);

}  // namespace tessera::facts
