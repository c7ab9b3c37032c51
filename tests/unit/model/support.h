// Helpers for the tests of the checker: valid placements, and placements with one error.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tessera/check.h"
#include "tessera/validate.h"

namespace tessera::testing {

inline std::vector<Violation> violations(const PlacementProblem& problem,
                                         const Placement& placement) {
  for (const Defect& defect : validate(problem)) ADD_FAILURE() << defect.message;
  return check(problem, placement);
}

inline void expect_right(const PlacementProblem& problem, const Placement& placement) {
  for (const Violation& violation : violations(problem, placement)) {
    ADD_FAILURE() << violation.message;
  }
}

/// Expects exactly one violation, and returns it.
inline Violation only(const PlacementProblem& problem, const Placement& placement) {
  const std::vector<Violation> found = violations(problem, placement);
  EXPECT_THAT(found, ::testing::SizeIs(1));
  for (std::size_t k = 1; k < found.size(); ++k) ADD_FAILURE() << found[k].message;
  return found.empty() ? Violation{} : found.front();
}

}  // namespace tessera::testing
