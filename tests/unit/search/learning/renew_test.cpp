// Sessions that keep rules: new numbers in old rules are the rules of a new build, and clauses are
// kept exactly while they hold.
#include <gtest/gtest.h>

#include "model/size_layer.h"
#include "search/learning/build.h"
#include "search/learning/engine.h"
#include "tests/support/random_problem.h"

namespace tessera::search {
namespace {

using learning::Build;
using learning::Deduction;
using learning::Key;
using testing::Features;
using testing::Random;

/// Without rules that are chosen by size.
LearningParams comparable() {
  LearningParams params;
  params.symmetry = params.cliques = false;
  return params;
}

struct Rules {
  Rules(const PlacementProblem& problem, Build::Record record)
      : build(problem, Objective::fit, deduction, params, record, poll) {
    build.all();
  }
  LearningParams params = comparable();
  Deduction deduction{params};
  Poll poll;
  Build build;
};

TEST(RenewedRules, EqualNewRules) {
  int compared = 0;
  int balanced = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Random random(seed);
    Features features = seed % 2 == 0 ? Features::one_address_space() : Features::all();
    features.scale = 2;
    PlacementProblem problem = random_problem(random, features);
    if (!Build::renewable(problem, Objective::fit)) continue;
    Rules kept(problem, Build::Record::renewal);
    for (int query = 0; query < 3; ++query) {
      SizeLayer layer = size_layer(problem);
      for (Size& size : layer.sizes) size = std::max<Size>(1, size + random.between(-2, 2));
      for (Size& capacity : layer.capacities) capacity += random.between(-2, 2);
      replace_sizes(problem, layer);
      kept.build.renew();
      Rules fresh(problem, Build::Record::nothing);
      ASSERT_EQ(kept.deduction.balance.size(), fresh.deduction.balance.size()) << seed;
      balanced += fresh.deduction.balance.size() > 0 ? 1 : 0;
      // Clauses are in another order, so a contradiction may be found in either step.
      const bool rest = fresh.build.consistent() && fresh.deduction.propagate();
      ASSERT_EQ(kept.build.consistent() && kept.deduction.propagate(), rest) << seed;
      if (!rest) continue;
      ++compared;
      ASSERT_EQ(kept.deduction.state.variables(), fresh.deduction.state.variables());
      for (Key key = 0; key < 2 * fresh.deduction.state.variables(); ++key)
        ASSERT_EQ(kept.deduction.state.bound(key), fresh.deduction.state.bound(key)) << seed;
    }
  }
  EXPECT_GT(compared, 100);
  EXPECT_GT(balanced, 50);
}

/// Nearly the same load at every step: its least capacities need a search.
PlacementProblem flat(std::uint64_t seed) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 100});
  Random random(seed);
  for (Step row = 0; row < 5; ++row)
    for (Step from = 0; from < 12;) {
      const Step to = std::min<Step>(12, from + random.between(1, 5));
      problem.buffers.push_back({.id = std::to_string(row) + "," + std::to_string(from),
                                 .live = {{from, to}},
                                 .size = random.between(7, 19)});
      from = to;
    }
  return problem;
}

TEST(KeptClauses, HoldForLargerSizesAndSmallerCapacitiesOnly) {
  LearningParams params;
  params.recall = false;
  const auto engine = make_learning_engine(params);
  std::int64_t for_smaller = 0;
  std::int64_t for_larger = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    PlacementProblem problem = flat(seed);
    const auto session = engine->open(problem);
    SizeLayer layer = size_layer(problem);
    const auto ask = [&](Size capacity) {
      layer.capacities[0] = capacity;
      replace_sizes(problem, layer);
      const engine::SearchResult found = session->solve(layer, {});
      EXPECT_EQ(found.status, engine->solve(problem, {}).status) << seed;
      return found;
    };
    // The least capacity with a placement: the queries next to it need conflicts.
    Size least = 100;
    EXPECT_EQ(ask(least).kept, 0);
    while (ask(least).status == Status::feasible) --least;
    for_smaller += ask(least).kept;
    EXPECT_EQ(ask(101).kept, 0);
    for (Size& size : layer.sizes) ++size;
    for_larger += ask(least).kept;
    for (Size& size : layer.sizes) size -= 3;
    EXPECT_EQ(ask(least).kept, 0);
  }
  EXPECT_GT(for_smaller, 10);
  EXPECT_GT(for_larger, 0);
  EXPECT_LE(for_larger, for_smaller);
}

TEST(LiveSession, AQueryThatALimitEndsLeavesNothingBehind) {
  LearningParams params;
  params.recall = false;
  const PlacementProblem problem = flat(1);
  const auto engine = make_learning_engine(params);
  const auto session = engine->open(problem);
  SizeLayer layer = size_layer(problem);
  Budget over;
  over.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  EXPECT_EQ(session->solve(layer, {.budget = over}).status, Status::unknown);
  EXPECT_EQ(session->solve(layer, {.budget = {.max_nodes = 0}}).status, Status::unknown);
  layer.capacities[0] = 1000;
  EXPECT_EQ(session->solve(layer, {.budget = over}).status, Status::unknown);
  EXPECT_EQ(session->solve(layer, {}).status, Status::feasible);
  layer.capacities[0] = 10;
  EXPECT_EQ(session->solve(layer, {}).status, Status::infeasible);
}

}  // namespace
}  // namespace tessera::search
