// What a claim comes down to: a problem that has no placement, or none that pays so little.
//
//   PlacementProblem none = against(problem, claim);   // has no placement that pays at most
//   std::optional<Cost> most = most_paid(claim);       // this, if the claim is true
#pragma once

#include <optional>

#include "tessera/claim.h"
#include "tessera/problem.h"

namespace tessera {

/// The problem in which nothing of `memories` is used at or above least - 1, for a height; the
/// problem itself for any other claim. Capacities may become 0, which validate() refuses in an
/// input: such a memory takes nothing.
[[nodiscard]] PlacementProblem against(const PlacementProblem& problem, const Claim& claim);

/// least - 1 for costs and modes: the claim is true if no placement of against() pays so little.
[[nodiscard]] std::optional<Cost> most_paid(const Claim& claim);

/// The memory with no address at or above `height` allowed: a smaller capacity, or where there are
/// banks a reserved range above.
/// require: height >= 0.
void limit_height(Memory& memory, Size height);

}  // namespace tessera
