// A problem without its rules about banks and modes, and the way back.
//
//   PlacementProblem simple = relaxed(problem);         // fewer rules: infeasible => infeasible
//   if (auto lifted = lift(problem, placement)) ...     // passes check(problem, *lifted)
//   auto quick = make_relaxing_engine(std::move(canonical));   // both, as an engine
//
// A relaxation counts: what has no placement without a rule has none with it. And a placement of
// the relaxation is often one of the problem once every step has chosen a mode.
#pragma once

#include <memory>
#include <optional>

#include "engine/engine.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::engine {

/// Is there anything relaxed() would leave out?
[[nodiscard]] bool has_bank_rules(const PlacementProblem& problem);

/// The problem without modes, roles, relations about banks and soft costs (borders that may
/// not be crossed stay).
/// ensure: every placement of `problem` (without its modes) is one of the result.
[[nodiscard]] PlacementProblem relaxed(const PlacementProblem& problem);

/// The same places with a mode chosen for every step, if that passes the checker.
/// require: validate(problem) is empty; one place per buffer.
[[nodiscard]] std::optional<Placement> lift(const PlacementProblem& problem,
                                            const Placement& placement);

/// Asks `inner` about the relaxation and lifts what it places; gives up where that cannot be
/// lifted. Named like `inner`.
[[nodiscard]] std::unique_ptr<PlacementEngine> make_relaxing_engine(
    std::unique_ptr<PlacementEngine> inner);

}  // namespace tessera::engine
