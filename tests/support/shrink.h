// Shrinks a problem while it still shows a failure.
//
//   PlacementProblem small = shrink(problem, [&](const PlacementProblem& p) {
//     return verdict(engine, p) != verdict(oracle, p);
//   });
#pragma once

#include <functional>

#include "tessera/problem.h"

namespace tessera::testing {

/// require: fails(problem). ensure: fails(result), validate(result) is empty, and no single known
/// simplification preserves the failure: no buffer, relation, memory, bank rule or detail of a
/// buffer can be removed.
[[nodiscard]] PlacementProblem shrink(PlacementProblem problem,
                                      const std::function<bool(const PlacementProblem&)>& fails);

}  // namespace tessera::testing
