// Minimum costs apart from slots and cliques (slots_test.cpp), against brute force: moves of single
// buffers, and engines that start from a known placement.
//
//   random_costs_test                                            2,000 problems for each
//   TESSERA_RANDOM_SEED=17 TESSERA_RANDOM_COUNT=1 random_costs_test    repeats one of them
#include <gtest/gtest.h>

#include "encoder/sat_engine.h"
#include "search/learning/engine.h"
#include "search/placement/clique_prices.h"
#include "search/placement/cost_moves.h"
#include "tessera/check.h"
#include "tests/support/brute_force.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"
#include "tests/support/seeds.h"

namespace tessera::testing {
namespace {

bool all_were_tried() {
  return seeds_tried(2000) >= 2000;
}

/// Any problem, with additional soft pairs.
PlacementProblem costly(Random& random, Features features) {
  features.modes = features.modes_per_bank = false;
  PlacementProblem problem = random_problem(random, features);
  for (BufferIndex a = 0; a < problem.buffers.size(); ++a)
    for (BufferIndex b = 0; b < a; ++b)
      if (random.chance(50))
        problem.relations.push_back({RelationKind::avoid_overlap, {a, b}, random.between(1, 5)});
  return problem;
}

/// Features that moves support: one memory for each buffer, and rules about addresses and pairs.
PlacementProblem for_moves(Random& random) {
  Features features = Features::one_address_space();
  features.several_memories = random.chance(30);
  PlacementProblem problem = costly(random, features);
  for (Buffer& buffer : problem.buffers)
    if (buffer.memories.size() != 1) buffer.memories = {random.below(problem.memories.size())};
  return problem;
}

TEST(RandomCosts, MovesFindWhatIsCheap) {
  int taken = 0;
  int cheapest = 0;
  for_each_seed(2000, [&](std::uint64_t seed) {
    Random random(seed);
    const PlacementProblem problem = for_moves(random);
    const std::string about = "seed " + std::to_string(seed) + '\n' + to_yaml(problem);
    const auto best = brute_force(problem, OracleGoal::cost);
    const auto any = brute_force(problem);
    const bool begins = best && random.chance(30);
    search::CostMovesParams params{.seed = seed, .start = begins ? &any->placement : nullptr};
    params.budget.max_nodes = 3'000;
    const search::CostMoves found = search::cheapest_by_moves(problem, params);
    if (found.evaluations == 0 && !found.placement) return;
    EXPECT_LE(found.evaluations, 3'010) << about;
    if (!found.placement) {
      EXPECT_FALSE(begins) << about;
      taken += best ? 1 : 0;
      return;
    }
    ++taken;
    ASSERT_TRUE(best) << about;
    EXPECT_TRUE(keeps_every_rule(problem, *found.placement)) << about;
    EXPECT_EQ(cost_by_pairs(problem, *found.placement), found.cost) << about;
    EXPECT_GE(found.cost, best->value) << about;
    if (begins) {
      EXPECT_LE(found.cost, cost_by_pairs(problem, any->placement)) << about;
    }
    cheapest += found.cost == best->value ? 1 : 0;
    const search::CostMoves again = search::cheapest_by_moves(problem, params);
    EXPECT_EQ(again.evaluations, found.evaluations) << about;
    EXPECT_EQ(again.cost, found.cost) << about;
  });
  if (all_were_tried()) {
    EXPECT_GT(taken, 500);
    EXPECT_GT(cheapest, taken * 9 / 10);
  }
}

TEST(RandomCosts, KnownPlacementsAreWhereEnginesBegin) {
  int better = 0;
  int begins = 0;
  for_each_seed(2000, [&](std::uint64_t seed) {
    Random random(seed);
    const PlacementProblem problem = costly(random, Features::all());
    const auto best = brute_force(problem, OracleGoal::cost);
    if (!best) return;
    const std::string about = "seed " + std::to_string(seed) + '\n' + to_yaml(problem);
    const Placement known = random.chance(50) ? best->placement : brute_force(problem)->placement;
    better += cost_by_pairs(problem, known) > best->value ? 1 : 0;
    encoder::SatParams by_hitting;
    by_hitting.rules =
        search::cost_bound_by_prices(problem, cost_by_pairs(problem, known), {}).kept;
    begins += by_hitting.rules.empty() ? 0 : 1;
    for (const auto& engine : {search::make_learning_engine({}), encoder::make_sat_engine({}),
                               encoder::make_sat_engine(by_hitting)}) {
      if (engine->unsupported(problem, Objective::cost)) continue;
      engine::SearchParams params{.goal = Objective::cost, .seed = seed, .known = &known};
      const engine::SearchResult found = engine->solve(problem, params);
      ASSERT_EQ(found.status, Status::feasible) << engine->name() << ' ' << about;
      EXPECT_TRUE(keeps_every_rule(problem, *found.placement)) << engine->name() << ' ' << about;
      EXPECT_EQ(cost_by_pairs(problem, *found.placement), best->value)
          << engine->name() << ' ' << about;
      EXPECT_EQ(found.bound, best->value) << engine->name() << ' ' << about;
      // A limit keeps the known placement, and a valid bound.
      params.budget.max_nodes = 2;
      const engine::SearchResult some = engine->solve(problem, params);
      EXPECT_NE(some.status, Status::infeasible) << engine->name() << ' ' << about;
      EXPECT_LE(some.bound, best->value) << engine->name() << ' ' << about;
    }
  });
  if (all_were_tried()) {
    EXPECT_GT(better, 100);
    EXPECT_GT(begins, 100);
  }
}

}  // namespace
}  // namespace tessera::testing
