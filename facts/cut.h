// The shortest refutation: buffers no two of which may share an address need more than there is.
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
  std::optional<Step> step;           ///< they all occupy something then; none: all of each counts
  std::optional<AddressRange> range;  ///< each lies in it wherever it goes; none: no matter
  Size grain = 1;                     ///< every offset is a multiple, so each but the highest of a
                                      ///< stretch of free addresses is rounded up to it
  std::vector<MemoryIndex> memories;  ///< the buffers may go to these only, ascending
  std::vector<BufferIndex> buffers;   ///< ascending
  Size asked = 0;                     ///< bytes they need
  Size available = 0;                 ///< bytes there are: capacities without reserved ranges
};

/// Looks at the load of every step, in each memory alone and in all together, and, where
/// addresses are confined or aligned, at what that adds. Near-linear; nothing is found where only a
/// search would tell, or where the budget ends.
/// require: validate(problem) is empty, but that capacities may be 0.
[[nodiscard]] std::optional<Cut> find_cut(const PlacementProblem& problem,
                                          const Budget& budget = {});

/// "At step 3, 5 buffers need 130 bytes, but sram has 128."
[[nodiscard]] std::string describe(const PlacementProblem& problem, const Cut& cut);

}  // namespace tessera::facts
