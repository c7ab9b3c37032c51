// A claim (height, cost, modes or switches is at least some value) as a placement problem: its
// solutions are the counterexamples.
//
//   PlacementProblem counter = counterexample_problem(problem, claim);
//   std::optional<Cost> most = counterexample_cost(claim);
//   // The claim holds if and only if `counter` has no placement of cost `most` or less.
#pragma once

#include <optional>

#include "tessera/claim.h"
#include "tessera/problem.h"

namespace tessera {

/// For a height, the problem with the claim's memories limited to the addresses below least - 1.
/// For any other claim, the problem itself. A capacity may become 0, which validate() rejects in an
/// input: such a memory holds nothing.
[[nodiscard]] PlacementProblem counterexample_problem(const PlacementProblem& problem,
                                                      const Claim& claim);

/// The objective that counterexample_cost() counts; fit for all other claims.
[[nodiscard]] Objective counterexample_goal(const Claim& claim);

/// For costs, modes and switches, least - 1: the highest cost of a counterexample.
[[nodiscard]] std::optional<Cost> counterexample_cost(const Claim& claim);

/// Forbids all addresses at or above `height`: by a smaller capacity, or by a reserved range if the
/// memory has banks.
/// require: height >= 0.
void limit_height(Memory& memory, Size height);

}  // namespace tessera
