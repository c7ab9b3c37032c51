#include "engine/memo.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/session.h"
#include "search/learning/engine.h"
#include "search/placement/canonical.h"
#include "tessera/check.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/random_problem.h"

namespace tessera::engine {
namespace {

PlacementProblem pair_of(Size first, Size second, Size capacity) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = first});
  problem.buffers.push_back({.id = "b", .live = {{1, 3}}, .size = second});
  return problem;
}

std::shared_ptr<const Placement> at(Offset first, Offset second) {
  Placement placement;
  placement.places = {{0, first}, {0, second}};
  placement.modes.resize(1);
  return std::make_shared<const Placement>(std::move(placement));
}

TEST(Memo, WhatDidNotFitFitsNoLarger) {
  Memo memo(pair_of(4, 5, 8));
  memo.refuted({.sizes = {4, 5}, .capacities = {8}});
  EXPECT_TRUE(memo.refutes({.sizes = {4, 5}, .capacities = {8}}));
  EXPECT_TRUE(memo.refutes({.sizes = {6, 5}, .capacities = {7}}));
  EXPECT_FALSE(memo.refutes({.sizes = {3, 9}, .capacities = {8}}));
  EXPECT_FALSE(memo.refutes({.sizes = {4, 5}, .capacities = {9}}));
}

TEST(Memo, KnowsWhatIsNew) {
  Memo memo(pair_of(4, 5, 8));
  memo.refuted({.sizes = {4, 5}, .capacities = {8}});
  const std::size_t before = memo.refutations();
  EXPECT_FALSE(memo.refutes({.sizes = {5, 5}, .capacities = {8}}, before));
  memo.refuted({.sizes = {1, 8}, .capacities = {8}});
  EXPECT_TRUE(memo.refutes({.sizes = {1, 9}, .capacities = {8}}, before));
}

TEST(Memo, WhereAllLayItStillMay) {
  Memo memo(pair_of(3, 4, 8));
  memo.placed({.sizes = {3, 4}, .capacities = {8}}, at(0, 4));
  EXPECT_NE(memo.placement_for({.sizes = {3, 2}, .capacities = {8}}), nullptr);
  // Neither smaller nor larger: the checker decides, and there is a byte between the two.
  EXPECT_NE(memo.placement_for({.sizes = {4, 3}, .capacities = {8}}), nullptr);
  EXPECT_EQ(memo.placement_for({.sizes = {5, 1}, .capacities = {8}}), nullptr);
}

TEST(Memo, ANeighbourMovesWithTheSizeBelowIt) {
  PlacementProblem problem = pair_of(3, 4, 8);
  problem.relations.push_back({RelationKind::adjacent, {0, 1}, 0});
  Memo memo(problem);
  memo.placed({.sizes = {3, 4}, .capacities = {8}}, at(0, 3));
  EXPECT_EQ(memo.placement_for({.sizes = {2, 4}, .capacities = {8}}), nullptr);
  memo.refuted({.sizes = {5, 4}, .capacities = {8}});
  EXPECT_FALSE(memo.refutes({.sizes = {6, 4}, .capacities = {8}}));
  EXPECT_TRUE(memo.refutes({.sizes = {5, 4}, .capacities = {7}}));
}

/// A query about a bound is not a query about a placement.
TEST(Session, ARefutedBoundIsNoRefutation) {
  PlacementProblem problem = pair_of(4, 5, 8);
  problem.relations.push_back({RelationKind::avoid_overlap, {0, 1}, 7});
  problem.buffers[1].live = {{2, 3}};
  const auto engine = search::make_learning_engine({});
  const auto session = open_session(*engine, problem);
  SearchParams bounded{.goal = Objective::cost};
  bounded.at_most = 6;
  EXPECT_EQ(session->solve(size_layer(problem), bounded).status, Status::infeasible);
  EXPECT_EQ(session->solve(size_layer(problem), {}).status, Status::feasible);
}

/// Random sizes: the result always equals the oracle's.
TEST(Session, OfAnEngineThatKeepsNothingAnswersAsTheOracle) {
  const auto engine = search::make_canonical_engine();
  int reused = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    testing::Random random(seed);
    const PlacementProblem problem = testing::random_problem(random, testing::Features::all());
    if (engine->unsupported(problem, Objective::fit)) continue;
    const auto session = open_session(*engine, problem);
    SizeLayer layer = size_layer(problem);
    for (int question = 0; question < 12; ++question) {
      const std::size_t b = static_cast<std::size_t>(
          random.between(0, static_cast<std::int64_t>(layer.sizes.size()) - 1));
      layer.sizes[b] = std::max<Size>(1, layer.sizes[b] + random.between(-1, 1));
      PlacementProblem now = problem;
      replace_sizes(now, layer);
      if (!validate(now).empty()) {
        layer = size_layer(problem);
        continue;
      }
      const SearchResult found = session->solve(layer, {});
      EXPECT_EQ(found.status == Status::feasible,
                testing::brute_force(now, testing::OracleGoal::any).has_value())
          << seed;
      EXPECT_TRUE(!found.placement || check(now, *found.placement, 1).empty()) << seed;
      for (const Stat& stat : found.stats)
        if (stat.name != "session_questions" && stat.name.starts_with("session_"))
          reused = std::max(reused, static_cast<int>(std::get<std::int64_t>(stat.value)));
    }
  }
  EXPECT_GT(reused, 2) << "nothing was ever known from memory";
}

}  // namespace
}  // namespace tessera::engine
