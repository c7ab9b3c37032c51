// A problem loaded once and queried with many sizes. open() of the engines `sat` and `smt` returns
// this session.
//
// Before the solver runs, the session tries in this order:
//   1. a proof of infeasibility: the load of one step exceeds the capacity;
//   2. first fit: buffers in the order of an earlier placement, then in static orders, each at the
//      lowest free address; then local repairs of an order. The session returns only placements
//      that the checker of model/ accepts.
// The clauses are made once. A query that reaches the solver replaces their numbers and reuses the
// chains (chains.h) that still end too high. open_session() (engine/session.h) wraps the session
// and keeps the results of earlier queries.
#pragma once

#include <memory>

#include "decide.h"

namespace tessera::encoder {

/// require: validate(problem) is empty, and stays so with every size layer.
[[nodiscard]] std::unique_ptr<engine::PlacementSession> make_session(
    const PlacementProblem& problem, const DecideParams& params);

}  // namespace tessera::encoder
