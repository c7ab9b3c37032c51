#include "search/placement/minimize.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tessera/check.h"
#include "tests/support/brute_force.h"
#include "tests/support/random_problem.h"

namespace tessera::search {
namespace {

class Minimize : public ::testing::TestWithParam<int> {};

TEST_P(Minimize, FindsTheHeightOfTheOracle) {
  testing::Features features = testing::Features::one_address_space();
  features.several_memories = true;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    testing::Random random(seed);
    const PlacementProblem problem = testing::random_problem(random, features);
    if (!can_minimize(problem)) continue;
    const auto oracle = testing::brute_force(problem, testing::OracleGoal::height);
    const MinimizeResult result = minimize_height(problem, {.threads = GetParam()});
    if (!oracle) {
      EXPECT_EQ(result.status, Status::infeasible) << "seed " << seed;
      continue;
    }
    ASSERT_EQ(result.status, Status::feasible) << "seed " << seed;
    EXPECT_TRUE(result.proven);
    EXPECT_TRUE(check(problem, *result.placement).empty());
    EXPECT_EQ(result.heights, heights(problem, *result.placement));
    Size sum = 0;
    for (const Size height : result.heights) sum += height;
    EXPECT_EQ(sum, oracle->value) << "seed " << seed;
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

INSTANTIATE_TEST_SUITE_P(Threads, Minimize, ::testing::Values(1, 2));

TEST(Minimize, ALimitLeavesAnInterval) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 100});
  for (int i = 0; i < 12; ++i) {
    problem.buffers.push_back(
        {.id = std::to_string(i), .live = {{i % 4, i % 4 + 2 + i % 3}}, .size = 3 + i});
  }
  const MinimizeResult result =
      minimize_height(problem, {.budget = {.deadline = std::chrono::steady_clock::now()}});
  if (result.status == Status::feasible) {
    EXPECT_LE(result.lower_bounds[0], result.heights[0]);
    EXPECT_EQ(result.proven, result.lower_bounds == result.heights);
  } else {
    EXPECT_EQ(result.status, Status::unknown);
  }
}

TEST(Minimize, UsesAnotherEngineWhereGiven) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 100});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 5});
  problem.buffers.push_back({.id = "b", .live = {{1, 3}}, .size = 6});
  int asked = 0;
  MinimizeParams params;
  params.lower_bounds = {0};
  params.decide = [&asked](const PlacementProblem& part, const engine::SearchParams& search) {
    ++asked;
    return make_canonical_engine()->solve(part, search);
  };
  const MinimizeResult result = minimize_height(problem, params);
  EXPECT_TRUE(result.proven);
  EXPECT_EQ(result.heights[0], 11);
  EXPECT_GT(asked, 0);
}

// Engines may lack memory for a problem while time is left: the query must not repeat forever.
TEST_P(Minimize, QuestionsThatNobodyHasMemoryForAreNotAskedAgain) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 100});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 5});
  problem.buffers.push_back({.id = "b", .live = {{1, 3}}, .size = 6});
  std::atomic<int> asked = 0;
  MinimizeParams params{.threads = GetParam(), .lower_bounds = {0}};
  params.decide = [&asked](const PlacementProblem&, const engine::SearchParams&) {
    ++asked;
    engine::SearchResult none;
    none.stop = StopReason::memory_limit;
    return none;
  };
  const MinimizeResult result = minimize_height(problem, params);
  EXPECT_EQ(result.status, Status::feasible);  // greedy placement finds one
  EXPECT_FALSE(result.proven);
  EXPECT_EQ(result.stop, StopReason::memory_limit);
  EXPECT_LE(asked, 2 * GetParam());
}

TEST_P(Minimize, NodesAreThoseOfTheWholeCall) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 100});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 5});
  problem.buffers.push_back({.id = "b", .live = {{1, 3}}, .size = 6});
  std::atomic<std::int64_t> granted = 0;
  MinimizeParams params{
      .budget = {.max_nodes = 100'000}, .threads = GetParam(), .lower_bounds = {0}};
  params.decide = [&granted](const PlacementProblem&, const engine::SearchParams& search) {
    granted += search.budget.max_nodes;
    engine::SearchResult none;
    none.stop = StopReason::node_limit;
    return none;
  };
  const MinimizeResult result = minimize_height(problem, params);
  EXPECT_EQ(result.status, Status::feasible);
  EXPECT_EQ(result.stop, StopReason::node_limit);
  EXPECT_GE(granted, 100'000);
  EXPECT_LE(granted, 100'000 + GetParam() * 100'000);
}

}  // namespace
}  // namespace tessera::search
