// A problem loaded once and asked with many sizes: what both engines' open() returns.
//
// Before a solver is asked, in this order:
//   1. the load of one step;
//   2. orders: buffers in the order of an earlier placement, or in a usual one, each at the lowest
//      place it finds, with the modes that allow it; and such orders repaired. What they propose
//      counts only if the checker of model/ accepts it.
// Old answers are kept by whoever opens the session (engine/session.h). The clauses of the liveness
// and the hardware layer are made once; a question that reaches the solver replaces the numbers,
// and brings along every chain (chains.h) that is long enough with the new ones.
#pragma once

#include <memory>

#include "decide.h"

namespace tessera::encoder {

struct SessionParams {
  DecideParams decide;
  bool try_orders = true;   ///< step 2
  bool keep_chains = true;  ///< lemmas about chains of orders that are long enough still
};

/// require: validate(problem) is empty, and stays so with every size layer.
[[nodiscard]] std::unique_ptr<engine::PlacementSession> make_session(
    const PlacementProblem& problem, const SessionParams& params);

}  // namespace tessera::encoder
