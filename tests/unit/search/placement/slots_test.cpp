#include "search/placement/slots.h"

#include <gtest/gtest.h>

#include "tessera/check.h"
#include "tests/support/random.h"

namespace tessera::search {
namespace {

/// Ten buffers of one size that should all be separate, in this many slots.
PlacementProblem all_apart(Size slots) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 64 * slots - 4});
  for (Step b = 0; b < 10; ++b)
    problem.buffers.push_back(
        {.id = "b" + std::to_string(b), .live = {{b, b + 1}}, .size = 60, .alignment = 32});
  for (BufferIndex a = 0; a < 10; ++a)
    for (BufferIndex b = 0; b < a; ++b)
      problem.relations.push_back({RelationKind::avoid_overlap, {b, a}, 3});
  return problem;
}

TEST(Slots, CountsThemBelowTheCapacity) {
  const PlacementProblem problem = all_apart(4);
  const auto slots = slots_of(problem);
  ASSERT_TRUE(slots);
  EXPECT_EQ(slots->pitch, 64);
  EXPECT_EQ(slots->count, 4U);
}

TEST(Slots, OnlyWhereNothingElseMatters) {
  const auto refused = [](auto change) {
    PlacementProblem problem = all_apart(4);
    change(problem);
    return !slots_of(problem);
  };
  EXPECT_TRUE(refused([](auto& p) { p.buffers[3].size = 64; }));
  EXPECT_TRUE(refused([](auto& p) { p.buffers[3].alignment = 128; }));
  EXPECT_TRUE(refused([](auto& p) { p.buffers[3].offset = 64; }));
  EXPECT_TRUE(refused([](auto& p) { p.buffers[3].window = AddressRange{0, 128}; }));
  EXPECT_TRUE(refused([](auto& p) { p.memories[0].reserved = {{0, 4}}; }));
  EXPECT_TRUE(refused([](auto& p) { p.memories.push_back({.name = "n", .capacity = 100}); }));
  EXPECT_TRUE(refused([](auto& p) { p.relations.push_back({RelationKind::adjacent, {0, 1}, 0}); }));
}

// Three buffers each in two of four slots, two in the others: twice 3 pairs and twice one.
TEST(Slots, SpreadsEvenly) {
  const PlacementProblem problem = all_apart(4);
  const engine::SearchResult found = place_in_slots(problem, *slots_of(problem), {});
  ASSERT_EQ(found.status, Status::feasible);
  EXPECT_EQ(soft_cost(problem, *found.placement), 24);
  EXPECT_EQ(found.bound, 24);
  EXPECT_EQ(cost_bound_by_slots(problem, {}), 24);
}

TEST(Slots, TooFewAreRefuted) {
  PlacementProblem problem = all_apart(2);
  problem.relations.push_back({RelationKind::disjoint, {0, 1}, 0});
  problem.relations.push_back({RelationKind::disjoint, {1, 2, 0}, 0});
  EXPECT_EQ(place_in_slots(problem, *slots_of(problem), {}).status, Status::infeasible);
}

/// The larger ones, shrunk to the size of the others, still need their slots.
TEST(Slots, BoundSeveralSizes) {
  PlacementProblem problem = all_apart(4);
  for (BufferIndex b = 0; b < 10; b += 2) problem.buffers[b].size = 62;
  problem.buffers[5].size = 8;
  EXPECT_FALSE(slots_of(problem));
  // Nine that take one slot each: once 3 pairs, three times one.
  EXPECT_EQ(cost_bound_by_slots(problem, {}), 18);
}

TEST(Slots, ALimitIsNoAnswerButABound) {
  testing::Random random(3);
  PlacementProblem problem = all_apart(3);
  for (Relation& relation : problem.relations) relation.cost = random.between(1, 50);
  engine::SearchParams params;
  params.budget.max_nodes = 1;
  const engine::SearchResult found = place_in_slots(problem, *slots_of(problem), params);
  EXPECT_EQ(found.status, Status::feasible);
  EXPECT_EQ(found.stop, StopReason::node_limit);
  EXPECT_LT(found.bound, soft_cost(problem, *found.placement));
}

}  // namespace
}  // namespace tessera::search
