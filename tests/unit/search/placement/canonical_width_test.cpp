// The search stores offsets in the narrowest type that holds the capacity. Regression: lowering the
// capacity to a sum of sizes made the type narrower than offsets within the original capacity.
#include <gtest/gtest.h>

#include "search/placement/canonical.h"

namespace tessera::search {
namespace {

TEST(CanonicalWidth, ALargerCapacityNeverMakesAProblemInfeasible) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram"});
  const auto add = [&](Step lower, Step upper, Size size) {
    problem.buffers.push_back({.id = "b" + std::to_string(problem.buffers.size()),
                               .live = {{lower, upper}},
                               .size = size});
  };
  add(0, 1, 512);
  add(0, 2, 144);
  add(0, 2, 512);
  add(0, 2, 144);
  add(1, 2, 512);
  for (int bits = 11; bits < 59; ++bits) {
    problem.memories[0].capacity = Size{1} << bits;
    EXPECT_EQ(make_canonical_engine()->solve(problem, {}).status, Status::feasible) << bits;
  }
}

}  // namespace
}  // namespace tessera::search
