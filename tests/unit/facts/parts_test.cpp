#include "facts/parts.h"

#include <gtest/gtest.h>

#include "model/restricted.h"

namespace tessera::facts {
namespace {

using Parts = std::vector<std::vector<BufferIndex>>;

PlacementProblem six_buffers() {
  PlacementProblem problem;
  problem.memories = {{.name = "m", .capacity = 8}, {.name = "n", .capacity = 8}};
  for (const char* id : {"a", "b", "c", "d", "e", "f"}) {
    const std::size_t at = problem.buffers.size();
    const auto step = static_cast<Step>(10 * at);
    problem.buffers.push_back(
        {.id = id, .live = {{step, step + 5}}, .size = 2, .memories = {at / 3}});
  }
  return problem;
}

TEST(Parts, WhatPaysNothingStaysTogether) {
  EXPECT_EQ(independent_parts(six_buffers()), (Parts{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(independent_parts({}), (Parts{{}}));
}

TEST(Parts, AllOfThem) {
  EXPECT_TRUE(all_parts({}).empty());
  PlacementProblem problem = six_buffers();
  problem.relations = {{RelationKind::same_offset, {0, 2}}};
  EXPECT_EQ(all_parts(problem), (Parts{{0, 2}, {1}, {3}, {4}, {5}}));
}

TEST(Parts, RelationsAndTimeJoin) {
  PlacementProblem problem = six_buffers();
  problem.relations = {{RelationKind::avoid_overlap, {0, 1}, 1},
                       {RelationKind::avoid_overlap, {3, 4}, 1}};
  EXPECT_EQ(independent_parts(problem), (Parts{{2, 5}, {0, 1}, {3, 4}}));
  problem.buffers[2].live = {{4, 5}};
  EXPECT_EQ(independent_parts(problem), (Parts{{5}, {0, 1, 2}, {3, 4}}));
  // Live at one step, but in different memories.
  problem.buffers[5].live = {{4, 5}};
  EXPECT_EQ(independent_parts(problem), (Parts{{5}, {0, 1, 2}, {3, 4}}));
}

TEST(Parts, OnlyWhatSpeaksOfTwoMemoriesJoinsThem) {
  PlacementProblem problem = six_buffers();
  problem.relations = {{RelationKind::avoid_overlap, {0, 1, 3, 4}, 1}};
  EXPECT_EQ(independent_parts(problem), (Parts{{2, 5}, {0, 1}, {3, 4}}));
  problem.relations.push_back({RelationKind::same_offset, {1, 3}, 0});
  EXPECT_EQ(independent_parts(problem), (Parts{{2, 5}, {0, 1, 3, 4}}));
}

TEST(Parts, ModesAreShared) {
  PlacementProblem problem = six_buffers();
  problem.relations = {{RelationKind::avoid_overlap, {0, 1}, 1}};
  problem.memories[0].banks = {{.name = "b", .size = 8}};
  problem.memories[0].modes = {{"only", {Role::read_write}}};
  EXPECT_EQ(independent_parts(problem), (Parts{{0, 1, 2, 3, 4, 5}}));
}

TEST(Parts, KeepWhatIsSaidOfThem) {
  PlacementProblem problem = six_buffers();
  problem.relations = {{RelationKind::avoid_overlap, {0, 1, 3, 4}, 7},
                       {RelationKind::disjoint, {1, 5}, 0}};
  const std::vector<BufferIndex> buffers{1, 4, 5};
  const PlacementProblem part = restricted(problem, buffers).problem;
  ASSERT_EQ(part.buffers.size(), 3U);
  EXPECT_EQ(part.buffers[1].id, "e");
  ASSERT_EQ(part.relations.size(), 2U);
  EXPECT_EQ(part.relations[0].buffers, (std::vector<BufferIndex>{0, 1}));
  EXPECT_EQ(part.relations[0].cost, 7);
  EXPECT_EQ(part.relations[1].buffers, (std::vector<BufferIndex>{0, 2}));
}

}  // namespace
}  // namespace tessera::facts
