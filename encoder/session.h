// A problem loaded once and asked with many sizes: what both engines' open() returns.
//
// Before a solver is asked, in this order:
//   1. refutations: what did not fit at some sizes and capacities fits at no larger sizes and
//      smaller capacities;
//   2. the load of one step;
//   3. placements: where everything lay for sizes at least these, it still may;
//   4. orders: buffers in the order of an earlier placement, or in a usual one, each at the lowest
//      place it finds, with the modes that allow it; and such orders repaired.
// What 3 and 4 propose counts only if the checker of model/ accepts it. The clauses of the liveness
// and the hardware layer are made once; a question that reaches the solver replaces the numbers,
// and brings along every chain (chains.h) that is long enough with the new ones.
#pragma once

#include <memory>

#include "decide.h"

namespace tessera::encoder {

struct SessionParams {
  DecideParams decide;
  bool keep_refutations = true;  ///< step 1
  bool try_orders = true;        ///< steps 3 and 4
  bool keep_chains = true;       ///< lemmas about chains of orders that are long enough still
};

/// require: validate(problem) is empty, and stays so with every size layer.
[[nodiscard]] std::unique_ptr<PlacementSession> make_session(const PlacementProblem& problem,
                                                             const SessionParams& params);

}  // namespace tessera::encoder
