#include "search/placement/greedy.h"

#include <gtest/gtest.h>

#include "search/placement/canonical_orders.h"
#include "search/placement/greedy_engine.h"
#include "tessera/check.h"
#include "tessera/validate.h"
#include "tests/support/random_problem.h"

namespace tessera::search {
namespace {

PlacementProblem many(std::size_t count, std::uint64_t seed) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m"});
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const auto lower = static_cast<Step>(random.below(2 * count));
    const auto length = static_cast<Step>(1 + random.below(60));
    problem.buffers.push_back({.id = "b" + std::to_string(i),
                               .live = {{lower, lower + length}},
                               .size = static_cast<Size>(1 + random.below(1000))});
  }
  return problem;
}

TEST(Greedy, FillsAHole) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 8});
  problem.buffers.push_back({.id = "low", .live = {{0, 4}}, .size = 2, .offset = 0});
  problem.buffers.push_back({.id = "high", .live = {{0, 4}}, .size = 3, .offset = 5});
  problem.buffers.push_back({.id = "between", .live = {{1, 3}}, .size = 3});
  const GreedyResult result = place_greedily(problem);
  ASSERT_TRUE(result.placement);
  EXPECT_EQ(result.placement->places[2].offset, 2);
  EXPECT_EQ(result.heights, (std::vector<Size>{8}));
}

TEST(Greedy, WhatItPlacesTheCheckerAccepts) {
  testing::Features features = testing::Features::one_address_space();
  features.several_memories = true;
  features.memory_choice = true;
  int placed = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    testing::Random random(seed);
    const PlacementProblem problem = testing::random_problem(random, features);
    if (!greedy_features().contains(facts::features_of(problem))) continue;
    // Both variants: first fit, and the skyline for very many pairs.
    for (const std::int64_t pairs : {std::int64_t{1'000'000}, std::int64_t{0}}) {
      const GreedyResult result = place_greedily(problem, {.seed = seed, .max_pairs = pairs});
      if (!result.placement) continue;
      ++placed;
      const std::vector<Violation> wrong = check(problem, *result.placement);
      ASSERT_TRUE(wrong.empty()) << "seed " << seed << ": " << wrong.front().message;
    }
  }
  EXPECT_GT(placed, 500);
}

TEST(Greedy, PlacesVeryManyBuffersOnASkyline) {
  const PlacementProblem problem = many(30'000, 1);
  const GreedyResult result = place_greedily(problem, {.max_pairs = 1000});
  ASSERT_TRUE(result.placement);
  EXPECT_EQ(result.order, "skyline");
  EXPECT_TRUE(check(problem, *result.placement).empty());
  EXPECT_EQ(result.heights, heights(problem, *result.placement));
}

TEST(Greedy, MoreOrdersAreNeverWorse) {
  const PlacementProblem problem = many(300, 2);
  const GreedyResult few = place_greedily(problem, {.rounds = 0});
  const GreedyResult more = place_greedily(problem, {.rounds = 20});
  EXPECT_LE(more.heights[0], few.heights[0]);
}

// The most contended buffer comes first, then alignment, size times lifetime squared, lifetime.
TEST(Greedy, TheOrderByContentionPutsTheFullestStepFirst) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 100});
  problem.buffers = {{.id = "quiet", .live = {{0, 4}}, .size = 30},
                     {.id = "thin", .live = {{3, 9}}, .size = 10},
                     {.id = "short", .live = {{8, 9}}, .size = 40},
                     {.id = "aligned", .live = {{8, 9}}, .size = 16, .alignment = 16}};
  const GreedyResult found = place_greedily(problem, {.only_order = "contention"});
  ASSERT_TRUE(found.placement);
  EXPECT_EQ(found.order, "contention");
  EXPECT_TRUE(check(problem, *found.placement).empty());
  // At step 8, 66 bytes are live: first the aligned one, then the long one, then the short one.
  EXPECT_EQ(found.placement->places[3].offset, 0);
  EXPECT_EQ(found.placement->places[1].offset, 16);
  EXPECT_EQ(found.placement->places[2].offset, 26);
  EXPECT_EQ(found.placement->places[0].offset, 26);
}

TEST(Greedy, EveryOrderCanBeAskedAlone) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 30});
  problem.buffers = {{.id = "a", .live = {{0, 2}}, .size = 10},
                     {.id = "b", .live = {{1, 3}}, .size = 20}};
  for (const std::string& order : greedy_orders())
    EXPECT_EQ(place_greedily(problem, {.only_order = order}).order, order);
}

/// Row by row: the longest buffer at the bottom, the lowest open place next, gaps only if nothing
/// fits into them in time.
TEST(Greedy, TheSkylineFillsTheLowestPlaceWithTheLongestBuffer) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 40});
  problem.buffers = {{.id = "long", .live = {{0, 6}}, .size = 10},
                     {.id = "early", .live = {{0, 2}}, .size = 5},
                     {.id = "late", .live = {{2, 8}}, .size = 20},
                     {.id = "tail", .live = {{6, 8}}, .size = 4}};
  const auto engine = make_greedy_engine("skyline");
  const engine::SearchResult found = engine->solve(problem, {});
  ASSERT_TRUE(found.placement);
  EXPECT_TRUE(check(problem, *found.placement).empty());
  EXPECT_EQ(found.placement->places[0].offset, 0);
  EXPECT_EQ(found.placement->places[3].offset, 0);
  EXPECT_EQ(found.placement->places[2].offset, 10);
  EXPECT_EQ(found.placement->places[1].offset, 10);
  problem.memories[0].capacity = 29;
  EXPECT_EQ(engine->solve(problem, {}).status, Status::unknown);
  problem.buffers[0].window = AddressRange{4, 20};
  EXPECT_TRUE(engine->unsupported(problem, Objective::fit));
}

}  // namespace
}  // namespace tessera::search
