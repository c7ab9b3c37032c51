#include "search/placement/bounds.h"

#include <gtest/gtest.h>

#include <array>

#include "search/placement/subset_sums.h"

namespace tessera::search {
namespace {

PlacementProblem two_live_together(Size capacity) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  problem.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 5});
  problem.buffers.push_back({.id = "b", .live = {{2, 4}}, .size = 6});
  problem.buffers.push_back({.id = "c", .live = {{3, 6}}, .size = 2});
  return problem;
}

TEST(Bounds, TheLargestLoadOfAStep) {
  const Bounds bounds = lower_bounds(two_live_together(100));
  EXPECT_EQ(bounds.memories[0].load, 11);
  EXPECT_EQ(bounds.memories[0].peak, 2);
  EXPECT_EQ(bounds.memories[0].live_at_peak, (std::vector<BufferIndex>{0, 1}));
  EXPECT_FALSE(bounds.infeasible);
}

TEST(Bounds, SaysWhatDoesNotFit) {
  const Bounds bounds = lower_bounds(two_live_together(10));
  ASSERT_TRUE(bounds.infeasible);
  EXPECT_NE(bounds.infeasible->find("step 2"), std::string::npos) << *bounds.infeasible;
}

TEST(Bounds, AlignmentRoundsUpEverythingButTheTopmost) {
  PlacementProblem problem = two_live_together(100);
  problem.memories[0].alignment = 4;
  EXPECT_EQ(lower_bounds(problem).heights[0], 13);  // 8 + 5: the larger padding is on top
}

TEST(Bounds, ReservedAddressesDoNotCount) {
  PlacementProblem problem = two_live_together(100);
  problem.memories[0].reserved = {{0, 3}, {50, 60}};
  EXPECT_EQ(lower_bounds(problem).heights[0], 14);
}

TEST(Bounds, AFixedBufferCarriesWhatCannotLieBelow) {
  PlacementProblem problem = two_live_together(100);
  problem.buffers[0].offset = 20;
  EXPECT_EQ(lower_bounds(problem).heights[0], 25);
  problem.buffers[1].window = AddressRange{20, 60};
  EXPECT_EQ(lower_bounds(problem).heights[0], 31);
}

TEST(Bounds, OfExemptBuffersOnlyTheLargerCounts) {
  PlacementProblem problem = two_live_together(100);
  problem.relations.push_back({RelationKind::may_overlap, {0, 1}, 0});
  EXPECT_EQ(lower_bounds(problem).memories[0].load, 8);
}

TEST(Bounds, FreeBuffersCountForAllMemoriesTogether) {
  PlacementProblem problem = two_live_together(5);
  problem.memories.push_back({.name = "n", .capacity = 5});
  const Bounds bounds = lower_bounds(problem);
  EXPECT_EQ(bounds.heights, (std::vector<Size>{0, 0}));
  EXPECT_TRUE(bounds.infeasible);
}

TEST(SubsetSums, RoundToSumsThatSizesForm) {
  const std::array<Size, 2> sizes = {3, 5};
  EXPECT_EQ(least_sum_at_least(sizes, 4), 5);
  EXPECT_EQ(least_sum_at_least(sizes, 6), 8);
  EXPECT_EQ(largest_sum_at_most(sizes, 7), 5);
  EXPECT_EQ(largest_sum_at_most(sizes, 2), 0);
}

TEST(Bounds, HeightsAreSumsOfSizes) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 100});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 6});
  problem.buffers.push_back({.id = "b", .live = {{2, 4}}, .size = 4});
  EXPECT_EQ(next_possible_height(problem, 0, 7), 10);
  problem.buffers[0].alignment = 2;
  EXPECT_EQ(next_possible_height(problem, 0, 7), 7);
}

}  // namespace
}  // namespace tessera::search
