// The relaxation without rules about banks and modes and without conditions, and its inverse.
//
//   PlacementProblem simple = relaxed(problem);         // fewer rules: infeasible => infeasible
//   if (auto lifted = lift(problem, placement)) ...     // passes check(problem, *lifted)
//   auto quick = make_relaxing_engine(std::move(canonical));   // both, as an engine
//
// If the relaxation has no placement, the problem has none. A placement of the relaxation is often
// one of the problem after choosing a mode for each step.
#pragma once

#include <memory>
#include <optional>

#include "engine/engine.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::engine {

/// Does relaxed() remove anything?
[[nodiscard]] bool has_bank_rules(const PlacementProblem& problem);

/// The problem without modes, roles, conditions, relations about banks and soft costs. Bank borders
/// that buffers may not cross remain.
/// ensure: every placement of `problem` (without its modes) is one of the result.
[[nodiscard]] PlacementProblem relaxed(const PlacementProblem& problem);

/// The same places with a mode for every step; nothing if the checker rejects it.
/// require: validate(problem) is empty; one place per buffer.
[[nodiscard]] std::optional<Placement> lift(const PlacementProblem& problem,
                                            const Placement& placement);

/// Solves the relaxation with `inner` and lifts its placement; status unknown if it cannot be
/// lifted. It has the name of `inner`.
[[nodiscard]] std::unique_ptr<PlacementEngine> make_relaxing_engine(
    std::unique_ptr<PlacementEngine> inner);

}  // namespace tessera::engine
