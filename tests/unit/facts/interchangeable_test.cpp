#include "facts/interchangeable.h"

#include <gtest/gtest.h>

namespace tessera::facts {
namespace {

/// Four buffers of one size, all live at once, and room for all.
PlacementProblem four_alike() {
  PlacementProblem problem;
  problem.memories = {{.name = "m", .capacity = 64}, {.name = "n", .capacity = 64}};
  for (const char* id : {"a", "b", "c", "d"})
    problem.buffers.push_back({.id = id, .live = {{0, 4}}, .size = 4, .memories = {0}});
  return problem;
}

std::vector<std::vector<BufferIndex>> sets_of(const PlacementProblem& problem,
                                              InterchangeableKind kind) {
  std::vector<std::vector<BufferIndex>> sets;
  for (const InterchangeableClass& same : interchangeable_classes(problem))
    if (same.kind == kind) sets.push_back(same.buffers);
  return sets;
}

using Sets = std::vector<std::vector<BufferIndex>>;

TEST(InterchangeableBuffers, AreAlikeInEverything) {
  EXPECT_EQ(sets_of(four_alike(), InterchangeableKind::apart), (Sets{{0, 1, 2, 3}}));
  const auto without_b = [](auto&& change) {
    PlacementProblem problem = four_alike();
    change(problem, problem.buffers[1]);
    EXPECT_EQ(sets_of(problem, InterchangeableKind::apart), (Sets{{0, 2, 3}}));
    EXPECT_EQ(interchangeable_classes(problem).size(), 1U);
    EXPECT_TRUE(InterchangeableBuffers(problem).alone(1));
    EXPECT_FALSE(InterchangeableBuffers(problem).alone(2));
  };
  without_b([](PlacementProblem&, Buffer& b) { b.size = 5; });
  without_b([](PlacementProblem&, Buffer& b) { b.alignment = 2; });
  without_b([](PlacementProblem&, Buffer& b) { b.memories = {1}; });
  without_b([](PlacementProblem&, Buffer& b) { b.memories = {}; });
  without_b([](PlacementProblem&, Buffer& b) { b.offset = 0; });
  without_b([](PlacementProblem&, Buffer& b) { b.window = AddressRange{0, 32}; });
  without_b([](PlacementProblem&, Buffer& b) { b.gaps = {{{1, 2}, std::nullopt}}; });
  without_b([](PlacementProblem& problem, Buffer& b) {
    problem.memories[0].modes = {{"x", {Role::read}}};
    b.read = {1};
  });
  without_b([](PlacementProblem& problem, Buffer&) {
    problem.buffers.push_back({.id = "e", .live = {{9, 10}}, .size = 1, .memories = {0}});
    problem.relations = {{RelationKind::disjoint, {1, 4}, 0}};
  });
  without_b([](PlacementProblem& problem, Buffer&) {
    problem.buffers.push_back({.id = "e", .live = {{9, 10}}, .size = 1, .memories = {0}});
    problem.relations = {{RelationKind::avoid_overlap, {0, 2, 3, 4}, 3},
                         {RelationKind::avoid_overlap, {1, 4}, 2}};
  });
}

TEST(InterchangeableBuffers, AdjacentOnesAreNot) {
  PlacementProblem problem = four_alike();
  problem.relations = {{RelationKind::adjacent, {1, 2}, 0}};
  EXPECT_EQ(sets_of(problem, InterchangeableKind::apart), (Sets{{0, 3}}));
}

TEST(InterchangeableBuffers, LivesMayDifferAsLongAsConflictsDoNot) {
  PlacementProblem problem = four_alike();
  problem.buffers[1].live = {{1, 3}};
  EXPECT_EQ(sets_of(problem, InterchangeableKind::apart), (Sets{{0, 1, 2, 3}}));
  // Somebody who lives with three of them.
  problem.buffers.push_back({.id = "e", .live = {{3, 9}}, .size = 1, .memories = {0}});
  EXPECT_EQ(sets_of(problem, InterchangeableKind::apart), (Sets{{0, 2, 3}}));
  // In another memory it is nobody's business.
  problem.buffers.back().memories = {1};
  EXPECT_EQ(sets_of(problem, InterchangeableKind::apart), (Sets{{0, 1, 2, 3}}));
  // And what time does not say, a relation may.
  problem.buffers.back().memories = {0};
  problem.relations = {{RelationKind::disjoint, {1, 4}, 0}};
  EXPECT_EQ(sets_of(problem, InterchangeableKind::apart), (Sets{{0, 1, 2, 3}}));
  // Where there are modes every step counts.
  problem.memories[0].modes = {{"x", {Role::read_write}}};
  EXPECT_EQ(sets_of(problem, InterchangeableKind::apart), (Sets{{0, 2, 3}}));
}

/// Whoever lives in two stretches may be met twice, and a relation says so once.
TEST(InterchangeableBuffers, WhoIsMetTwiceHidesNoTwin) {
  PlacementProblem problem;
  problem.memories = {{.name = "m", .capacity = 6}};
  problem.buffers = {{.id = "a", .live = {{2, 7}}, .size = 3},
                     {.id = "c", .live = {{2, 4}, {5, 6}}, .size = 1},
                     {.id = "t", .live = {{7, 8}}, .size = 3}};
  problem.relations = {{RelationKind::disjoint, {1, 2}, 0}};
  EXPECT_FALSE(InterchangeableBuffers(problem).alone(0));
  EXPECT_TRUE(InterchangeableBuffers(problem).alone(1));
}

TEST(InterchangeableBuffers, WhoeverNeverMeetsBelongsTogether) {
  PlacementProblem problem = four_alike();
  for (BufferIndex b = 0; b < 4; ++b) {
    const auto step = static_cast<Step>(b);
    problem.buffers[b].live = {{step, step + 1}};
  }
  EXPECT_TRUE(interchangeable_classes(problem).empty());  // who meets nobody at all needs no order
  EXPECT_FALSE(InterchangeableBuffers(problem).alone(0));
  problem.buffers.push_back({.id = "e", .live = {{0, 2}}, .size = 1, .memories = {0}});
  EXPECT_EQ(sets_of(problem, InterchangeableKind::together), (Sets{{0, 1}}));
  problem.buffers.push_back({.id = "f", .live = {{2, 4}}, .size = 1, .memories = {0}});
  EXPECT_EQ(sets_of(problem, InterchangeableKind::together), (Sets{{0, 1}, {2, 3}}));
  problem.relations = {{RelationKind::avoid_overlap, {0, 1}, 3}};
  EXPECT_EQ(sets_of(problem, InterchangeableKind::ordered), (Sets{{0, 1}}));
  problem.relations = {{RelationKind::disjoint, {0, 1}, 0}};
  EXPECT_EQ(sets_of(problem, InterchangeableKind::apart), (Sets{{0, 1}}));
  problem.relations = {{RelationKind::different_banks, {2, 3}, 0}};
  EXPECT_EQ(sets_of(problem, InterchangeableKind::ordered), (Sets{{2, 3}}));
}

TEST(InterchangeableBuffers, ExemptOnesThatLiveTogetherBelongTogether) {
  PlacementProblem problem = four_alike();
  problem.relations = {{RelationKind::may_overlap, {0, 1, 2, 3}, 0}};
  EXPECT_EQ(sets_of(problem, InterchangeableKind::together), (Sets{{0, 1, 2, 3}}));
  problem.relations[0].buffers = {0, 1};
  EXPECT_EQ(sets_of(problem, InterchangeableKind::together), (Sets{{0, 1}}));
  EXPECT_EQ(sets_of(problem, InterchangeableKind::apart), (Sets{{2, 3}}));
}

}  // namespace
}  // namespace tessera::facts
