// A problem loaded once and queried with many sizes: the result of both engines' open().
//
// Before the solver runs, the session tries in this order:
//   1. the load of one step;
//   2. orders: buffers in the order of an earlier placement, or in a usual one, each at the lowest
//      free address, with modes that allow it; then repaired orders. A proposal counts only if the
//      checker of model/ accepts it.
// The owner of the session keeps old results (engine/session.h). The clauses of the liveness and
// the hardware layer are made once. A query that reaches the solver replaces the numbers and reuses
// every chain (chains.h) that still exceeds its bound.
#pragma once

#include <memory>

#include "decide.h"

namespace tessera::encoder {

struct SessionParams {
  DecideParams decide;
  bool try_orders = true;   ///< step 2
  bool keep_chains = true;  ///< reuse chain lemmas that still exceed their bound
};

/// require: validate(problem) is empty, and stays so with every size layer.
[[nodiscard]] std::unique_ptr<engine::PlacementSession> make_session(
    const PlacementProblem& problem, const SessionParams& params);

}  // namespace tessera::encoder
