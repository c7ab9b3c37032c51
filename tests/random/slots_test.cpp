// Slots, bounds from slots and parts against brute force: buffers of one size are placed at minimum
// cost, no bound exceeds the oracle's cost, and the costs of parts add up.
//
//   random_slots_test                                            2,000 problems for each
//   TESSERA_RANDOM_SEED=17 TESSERA_RANDOM_COUNT=1 random_slots_test    repeats one of them
#include "search/placement/slots.h"

#include <gtest/gtest.h>

#include "facts/parts.h"
#include "model/restricted.h"
#include "search/placement/clique_costs.h"
#include "search/placement/clique_prices.h"
#include "tessera/check.h"
#include "tessera/place.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"
#include "tests/support/seeds.h"

namespace tessera::testing {
namespace {

/// Buffers that should or must be separate; of one size, or nearly.
PlacementProblem crowded(Random& random, bool one_size) {
  PlacementProblem problem;
  const Size size = random.between(1, 4);
  const Size alignment = random.chance(40) ? random.between(2, 3) : 1;
  const std::size_t memories = random.chance(30) ? 2 : 1;
  for (std::size_t m = 0; m < memories; ++m)
    problem.memories.push_back({.name = "m" + std::to_string(m),
                                .capacity = random.between(size, 3 * (size + alignment))});
  for (std::int64_t b = random.between(2, 6); b > 0; --b) {
    const Step lower = random.between(0, 8);
    Buffer buffer{.id = "b" + std::to_string(b),
                  .live = {{lower, lower + random.between(1, 3)}},
                  .size = size,
                  .alignment = alignment};
    if (random.chance(20)) buffer.live.push_back({lower + 5, lower + 5 + random.between(1, 2)});
    if (!one_size) buffer.size = std::max<Size>(1, size + random.between(-1, 1));
    buffer.memories = {random.below(memories)};
    problem.buffers.push_back(std::move(buffer));
  }
  for (std::size_t a = 0; a < problem.buffers.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (random.chance(20)) problem.relations.push_back({RelationKind::disjoint, {a, b}, 0});
      if (random.chance(10)) problem.relations.push_back({RelationKind::may_overlap, {b, a}, 0});
      if (random.chance(50))
        problem.relations.push_back({RelationKind::avoid_overlap, {a, b}, random.between(1, 5)});
    }
  return problem;
}

/// Sizes that are multiples of one number after rounding up to the alignments.
PlacementProblem crowded_multiples(Random& random) {
  PlacementProblem problem = crowded(random, true);
  if (problem.memories.size() > 1) problem.memories.pop_back();
  const Size unit = random.between(1, 2);
  for (Buffer& buffer : problem.buffers) {
    buffer.memories = {0};
    buffer.alignment = unit > 1 && random.chance(50) ? unit : 1;
    buffer.size = unit * random.between(1, 3) - (random.chance(10) ? unit - 1 : 0);
  }
  problem.memories[0].capacity = random.between(3 * unit, 7 * unit);
  if (random.chance(30)) {  // buffers in conflict with one conflict with the other, too
    const BufferIndex one = random.below(problem.buffers.size());
    const BufferIndex two = random.below(problem.buffers.size());
    problem.buffers[two].size = problem.buffers[one].size;
    problem.buffers[two].live = problem.buffers[one].live;
  }
  return problem;
}

TEST(RandomSlots, AreAsGoodAsAnyPlacement) {
  int taken = 0;
  int wide = 0;
  for_each_seed(2000, [&](std::uint64_t seed) {
    Random random(seed);
    const PlacementProblem problem =
        random.chance(50) ? crowded(random, true) : crowded_multiples(random);
    const auto slots = search::slots_of(problem);
    if (!slots) return;
    ++taken;
    wide += slots->spans.empty() ? 0 : 1;
    const auto best = brute_force(problem, OracleGoal::cost);
    const engine::SearchResult found = search::place_in_slots(problem, *slots, {.seed = seed});
    const std::string about = "seed " + std::to_string(seed) + '\n' + to_yaml(problem);
    ASSERT_EQ(found.status, best ? Status::feasible : Status::infeasible) << about;
    if (!best) return;
    EXPECT_TRUE(check(problem, *found.placement).empty()) << about;
    EXPECT_EQ(soft_cost(problem, *found.placement), best->value) << about;
    EXPECT_EQ(found.bound, best->value) << about;
    // Out of nodes, its statements are still true.
    engine::SearchParams brief{.seed = seed};
    brief.budget.max_nodes = 1;
    const engine::SearchResult some = search::place_in_slots(problem, *slots, brief);
    EXPECT_NE(some.status, Status::infeasible) << about;
    EXPECT_LE(some.bound, best->value) << about;
  });
  if (seeds_tried(2000) >= 2000) {
    EXPECT_GT(taken, 500);
    EXPECT_GT(wide, 200);
  }
}

/// Does each placement in which one of these pairs shares an address cost at least `known`?
bool nothing_cheaper_with(const PlacementProblem& problem,
                          const std::vector<std::pair<BufferIndex, BufferIndex>>& apart,
                          Cost known) {
  PlacementProblem harder = problem;
  for (const auto& [a, b] : apart) harder.relations.push_back({RelationKind::disjoint, {a, b}, 0});
  const auto any = brute_force(problem, OracleGoal::cost);
  if (any->value >= known) return true;
  const auto best = brute_force(harder, OracleGoal::cost);
  return best && best->value == any->value;
}

TEST(RandomSlots, BoundsAreNeverAboveTheLeastCost) {
  int paid = 0;
  int met = 0;
  int better = 0;
  int decided = 0;
  for_each_seed(2000, [&](std::uint64_t seed) {
    Random random(seed);
    Features features = Features::all();
    features.modes = features.modes_per_bank = false;
    const PlacementProblem problem =
        random.chance(50) ? crowded(random, false) : random_problem(random, features);
    const auto best = brute_force(problem, OracleGoal::cost);
    if (!best) return;
    const std::string about = "seed " + std::to_string(seed) + '\n' + to_yaml(problem);
    EXPECT_LE(search::cost_bound_by_slots(problem, {}), best->value) << about;
    const Cost by_cliques = search::cost_bound_by_cliques(problem, {});
    EXPECT_LE(by_cliques, best->value) << about;
    const Cost known = best->value + random.between(0, 3);
    const search::CliquePrices by_prices = search::cost_bound_by_prices(problem, known, {});
    EXPECT_LE(by_prices.bound, best->value) << about;
    EXPECT_TRUE(by_prices.apart.empty() || nothing_cheaper_with(problem, by_prices.apart, known))
        << about;
    better += best->value > 0 && by_prices.bound == best->value ? 1 : 0;
    decided += by_prices.apart.empty() ? 0 : 1;
    paid += best->value > 0 ? 1 : 0;
    met += best->value > 0 && by_cliques == best->value ? 1 : 0;
  });
  if (seeds_tried(2000) >= 2000) {
    EXPECT_GT(met, paid / 4);
    EXPECT_GT(better, paid / 4);
    EXPECT_GT(decided, 50);
  }
}

TEST(RandomSlotParts, CostsAddUp) {
  int several = 0;
  for_each_seed(2000, [&several](std::uint64_t seed) {
    Random random(seed);
    Features features = Features::all();
    features.modes_per_bank = false;
    const PlacementProblem problem = random.chance(30)   ? crowded_multiples(random)
                                     : random.chance(50) ? crowded(random, random.chance(50))
                                                         : random_problem(random, features);
    const auto best = brute_force(problem, OracleGoal::cost);
    const std::string about = "seed " + std::to_string(seed) + '\n' + to_yaml(problem);
    Cost sum = 0;
    bool placed = true;
    const auto parts = facts::independent_parts(problem);
    several += parts.size() > 1 ? 1 : 0;
    for (const auto& buffers : parts) {
      const PlacementProblem part = restricted(problem, buffers).problem;
      ASSERT_TRUE(validate(part).empty()) << about;
      const auto cheapest = brute_force(part, OracleGoal::cost);
      placed = placed && cheapest;
      if (cheapest) sum += cheapest->value;
    }
    ASSERT_EQ(placed, best.has_value()) << about;
    if (best) {
      EXPECT_EQ(sum, best->value) << about;
    }
    const PlacementResult result = place(problem, {.minimize = Objective::cost});
    ASSERT_EQ(result.status, best ? Status::feasible : Status::infeasible) << about;
    if (best) {
      EXPECT_EQ(result.cost, best->value) << about;
      EXPECT_TRUE(result.proven_optimal) << about;
    }
  });
  if (seeds_tried(2000) >= 2000) {
    EXPECT_GT(several, 200);
  }
}

}  // namespace
}  // namespace tessera::testing
