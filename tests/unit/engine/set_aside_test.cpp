#include "engine/set_aside.h"

#include <gtest/gtest.h>

#include "model/derived.h"
#include "search/learning/engine.h"
#include "search/placement/canonical.h"
#include "tessera/check.h"
#include "tests/support/brute_force.h"
#include "tests/support/random_problem.h"

namespace tessera::engine {
namespace {

PlacementProblem with_weights() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 64, .alignment = 8});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 16});
  problem.buffers.push_back({.id = "w", .live = {{0, 4}}, .size = 9});
  problem.buffers.push_back({.id = "b", .live = {{2, 4}}, .size = 16});
  problem.buffers.push_back({.id = "v", .live = {{0, 4}}, .size = 8});
  return problem;
}

TEST(SetAside, TakesWhatLivesWithEverythingElse) {
  const PlacementProblem problem = with_weights();
  const SetAside aside = set_aside(problem);
  EXPECT_EQ(aside.aside, (std::vector<BufferIndex>{1, 3}));
  EXPECT_EQ(aside.kept, (std::vector<BufferIndex>{0, 2}));
  EXPECT_EQ(aside.block, (std::vector<Size>{24}));
  EXPECT_EQ(aside.rest.memories[0].capacity, 40);
  Placement placed;
  placed.places = {{0, 0}, {0, 16}};
  const Placement whole = restore(aside, {16, 9, 16, 8}, placed);
  EXPECT_TRUE(check(problem, whole).empty());
  EXPECT_EQ(whole.places[2].offset, 40);
}

TEST(SetAside, LeavesAloneWhatTheArgumentDoesNotCover) {
  PlacementProblem problem = with_weights();
  problem.memories[0].capacity = 63;  // the last buffer may end inside a granule
  EXPECT_TRUE(set_aside(problem).aside.empty());
  problem = with_weights();
  problem.buffers[0].offset = 8;
  EXPECT_TRUE(set_aside(problem).aside.empty());
  problem = with_weights();
  problem.memories[0].reserved = {{0, 8}};
  EXPECT_TRUE(set_aside(problem).aside.empty());
  problem = with_weights();
  problem.relations.push_back({RelationKind::adjacent, {0, 1}, 0});
  EXPECT_EQ(set_aside(problem).aside, (std::vector<BufferIndex>{3}));
}

TEST(SetAside, SessionsFollowTheSizes) {
  const PlacementProblem problem = with_weights();
  const auto engine = make_aside_engine(search::make_canonical_engine());
  const auto session = engine->open(problem);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->solve({{16, 9, 16, 8}, {64}}, {}).status, Status::feasible);
  EXPECT_EQ(session->solve({{16, 41, 16, 8}, {64}}, {}).status, Status::infeasible);
  EXPECT_EQ(session->solve({{16, 57, 16, 8}, {64}}, {}).status, Status::infeasible);
  EXPECT_EQ(session->solve({{16, 16, 16, 8}, {63}}, {}).status, Status::feasible);
}

TEST(SetAside, AgreesWithBruteForce) {
  int shortened = 0;
  int feasible = 0;
  int infeasible = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    testing::Random random(seed);
    testing::Features features = testing::Features::all();
    features.soft_costs = false;
    features.reserved = features.windows = features.fixed_offsets = features.gaps = false;
    features.banks = features.modes = random.below(4) == 0;
    PlacementProblem problem = testing::random_problem(random, features);
    const Step end = horizon(problem);
    for (Buffer& buffer : problem.buffers)  // more buffers that are always live
      if (random.below(3) == 0) buffer.live = {{0, end}};
    const SetAside aside = set_aside(problem);
    if (aside.aside.empty()) continue;
    ++shortened;
    const auto engine = make_aside_engine(search::make_learning_engine({}));
    if (engine->unsupported(problem, Objective::fit)) continue;
    const SearchResult found = engine->solve(problem, {});
    const bool possible = testing::brute_force(problem).has_value();
    ASSERT_EQ(found.status, possible ? Status::feasible : Status::infeasible) << "seed " << seed;
    if (found.placement) {
      ASSERT_TRUE(check(problem, *found.placement).empty()) << "seed " << seed;
    }
    ++(possible ? feasible : infeasible);
  }
  EXPECT_GT(shortened, 500);
  EXPECT_GT(feasible, 100);
  EXPECT_GT(infeasible, 100);
}

}  // namespace
}  // namespace tessera::engine
