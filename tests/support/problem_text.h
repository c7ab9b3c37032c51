// A problem as the text of a `tessera: problem/1` file, so that a failing test prints a problem
// that can be saved and run by hand. Independent of the module io: a test of the checker must not
// need a YAML library.
//
//   ADD_FAILURE() << to_yaml(problem);
#pragma once

#include <string>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::testing {

/// require: names and ids are plain words (as from random_problem()).
[[nodiscard]] std::string to_yaml(const PlacementProblem& problem);

/// One line: "a=m0@4 b=m0@0; m0: x1 x0".
[[nodiscard]] std::string to_text(const PlacementProblem& problem, const Placement& placement);

}  // namespace tessera::testing
