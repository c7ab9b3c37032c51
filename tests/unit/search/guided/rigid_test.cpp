#include "search/guided/rigid.h"

#include <gtest/gtest.h>

#include "tests/support/brute_force.h"
#include "tests/support/random_problem.h"

namespace tessera::search::guided {
namespace {

bool clash(const PlacementProblem& problem) {
  Poll poll;
  return rigid_clash(problem, poll);
}

PlacementProblem of(std::vector<Relation> relations) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m"});
  problem.buffers = {{.id = "a", .live = {{0, 2}}, .size = 4},
                     {.id = "b", .live = {{2, 4}}, .size = 4},
                     {.id = "c", .live = {{0, 2}}, .size = 4}};
  problem.relations = std::move(relations);
  return problem;
}

TEST(RigidClash, EqualOffsetsOfBuffersThatMayNotShareBytes) {
  const Relation same{.kind = RelationKind::same_offset, .buffers = {0, 1}};
  EXPECT_FALSE(clash(of({same})));
  EXPECT_TRUE(clash(of({same, {.kind = RelationKind::disjoint, .buffers = {0, 1}}})));
  // a and c are live together, and only pairs of one relation are exempt.
  EXPECT_TRUE(clash(of({same, {.kind = RelationKind::same_offset, .buffers = {1, 2}}})));
}

TEST(RigidClash, DistancesThatContradict) {
  const Relation next{.kind = RelationKind::adjacent, .buffers = {0, 1}};
  EXPECT_FALSE(clash(of({next})));
  EXPECT_TRUE(clash(of({next, {.kind = RelationKind::same_offset, .buffers = {0, 1}}})));
  EXPECT_TRUE(clash(of({next, {.kind = RelationKind::adjacent, .buffers = {1, 0}}})));
}

TEST(RigidClash, NeverOfAFeasibleProblem) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    testing::Random random(seed);
    const PlacementProblem problem = testing::random_problem(random, testing::Features::all());
    if (!clash(problem)) continue;
    ++found;
    EXPECT_FALSE(testing::brute_force(problem, testing::OracleGoal::any)) << seed;
  }
  EXPECT_GT(found, 0U);
}

}  // namespace
}  // namespace tessera::search::guided
