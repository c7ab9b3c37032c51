// The same random problems, over every feature and with every goal, for all complete engines in one
// go: what each says is compared with brute force, and every placement goes through the checker.
#include <gtest/gtest.h>

#include <array>
#include <iostream>

#include "agreement.h"
#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "search/learning/engine.h"
#include "search/placement/canonical.h"
#include "tests/support/problem_text.h"

namespace tessera::testing {
namespace {

TEST(RandomAllEngines, AgreeWithBruteForceInOneGo) {
  const RandomRun run = from_environment({1, 1000});
  const std::array<std::unique_ptr<engine::PlacementEngine>, 5> engines = {
      encoder::make_sat_engine({}),
      encoder::make_sat_engine({.encoding = encoder::OffsetEncoding::chains}),
      encoder::make_smt_engine({}), search::make_canonical_engine(),
      search::make_learning_engine({})};
  std::array<std::size_t, 5> answered{};
  std::size_t questions = 0;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::uint64_t seed = run.seed + k;
    Random random(seed);
    const PlacementProblem problem = random_problem(random, Features::all());
    // One goal per problem: mostly whether it fits.
    const Objective goal = seed % 4 == 2   ? Objective::cost
                           : seed % 4 == 3 ? Objective::modes
                                           : Objective::fit;
    ++questions;
    for (std::size_t e = 0; e < engines.size(); ++e) {
      if (!engines[e] || engines[e]->unsupported(problem, goal)) continue;
      ++answered[e];
      const auto wrong = wrong_answer(*engines[e], problem, goal, std::chrono::seconds(20));
      ASSERT_FALSE(wrong) << "engine " << engines[e]->name() << ", seed " << seed << ": " << *wrong
                          << '\n'
                          << to_yaml(problem);
    }
  }
  std::cout << questions << " problems;";
  for (std::size_t e = 0; e < engines.size(); ++e) {
    if (!engines[e]) continue;  // smt, in a build without Z3
    std::cout << ' ' << engines[e]->name() << (e == 1 ? " (chains) " : " ") << answered[e];
  }
  std::cout << " answered like brute force\n";
}

}  // namespace
}  // namespace tessera::testing
