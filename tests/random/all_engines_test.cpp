// The same random problems, with every feature and every objective, for all complete engines. Each
// result is compared with brute force, and the checker verifies every placement.
#include "all_engines.h"

#include <gtest/gtest.h>

#include <iostream>

#include "agreement.h"

namespace tessera::testing {
namespace {

TEST(RandomAllEngines, AgreeWithBruteForceInOneGo) {
  const RandomRun run = from_environment({1, 1000});
  AllEngines engines;
  std::size_t questions = 0;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::uint64_t seed = run.seed + k;
    Random random(seed);
    const PlacementProblem problem = random_problem(random, Features::all());
    // One objective per problem: usually feasibility.
    const Objective goal = seed % 4 == 2   ? Objective::cost
                           : seed % 8 == 3 ? Objective::modes
                           : seed % 8 == 7 ? Objective::switches
                                           : Objective::fit;
    ++questions;
    const auto wrong = engines.wrong(problem, goal);
    ASSERT_FALSE(wrong) << "seed " << seed << ", " << *wrong;
  }
  std::cout << questions << " problems;" << engines.answered() << " answered like brute force\n";
}

}  // namespace
}  // namespace tessera::testing
