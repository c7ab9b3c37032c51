// Random rules for tiny problems: conditions of every kind, most of which some placements satisfy.
#pragma once

#include "tessera/problem.h"
#include "tests/support/random.h"

namespace tessera::testing {

/// Adds one to three rules, named r0, r1, ...
/// ensure: validate() reports no defect if it reported none before.
void add_random_rules(Random& random, PlacementProblem& problem);

}  // namespace tessera::testing
