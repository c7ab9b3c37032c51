// Balance clauses preserve results, and reduce the effort where memory is nearly full.
#include <gtest/gtest.h>

#include "encoder/sat_engine.h"
#include "tests/support/random.h"

namespace tessera::encoder {
namespace {

/// The load equals the capacity at every step.
PlacementProblem full_problem(std::uint64_t seed) {
  testing::Random random(seed);
  constexpr Size capacity = 64;
  constexpr Step steps = 10;
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  std::vector<Size> left(static_cast<std::size_t>(steps), capacity);
  const auto add = [&](Step lower, Step upper, Size size) {
    for (Step t = lower; t < upper; ++t) left[static_cast<std::size_t>(t)] -= size;
    problem.buffers.push_back({.id = "b" + std::to_string(problem.buffers.size()),
                               .live = {{lower, upper}},
                               .size = size});
  };
  for (int tries = 0; tries < 60; ++tries) {
    const Step lower = random.between(0, steps - 1);
    const Step upper = std::min<Step>(steps, lower + random.between(1, 4));
    Size size = random.between(4, 20);
    for (Step t = lower; t < upper; ++t) size = std::min(size, left[static_cast<std::size_t>(t)]);
    if (size >= 4) add(lower, upper, size);
  }
  for (Step t = 0; t < steps; ++t)
    if (left[static_cast<std::size_t>(t)] > 0) add(t, t + 1, left[static_cast<std::size_t>(t)]);
  return problem;
}

TEST(EncoderBalance, DecidesMoreWithFewConflictsAndNeverOtherwise) {
  int with = 0;
  int without = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const PlacementProblem problem = full_problem(seed);
    engine::SearchParams few;
    few.budget.max_nodes = 40;
    const engine::SearchResult balanced = make_sat_engine({})->solve(problem, few);
    const engine::SearchResult plain = make_sat_engine({.balance = false})->solve(problem, few);
    with += balanced.status != Status::unknown ? 1 : 0;
    without += plain.status != Status::unknown ? 1 : 0;
    const engine::SearchResult certain = make_sat_engine({.balance = false})->solve(problem, {});
    ASSERT_NE(certain.status, Status::unknown);
    for (const Status status : {balanced.status, plain.status}) {
      if (status != Status::unknown) {
        EXPECT_EQ(status, certain.status) << seed;
      }
    }
  }
  EXPECT_GT(with, without);
  std::cout << with << " and " << without << " of 30 decided\n";
}

}  // namespace
}  // namespace tessera::encoder
