// The cost rule with cores: its conclusions hold for every assignment in which each core pays.
#include "search/learning/cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "search/learning/engine.h"
#include "tessera/check.h"
#include "tests/support/random.h"

namespace tessera::search {
namespace {

using learning::CostRule;
using learning::Key;
using learning::Lit;
using learning::opposite;
using learning::Rule;
using learning::State;
using learning::Value;

constexpr int terms = 7;

struct Case {
  CostRule rule;
  State state;
  std::vector<Key> keys;
  std::vector<Value> costs;
  std::vector<unsigned> cores;  // as bit sets of terms
};

void fill(Case& all, testing::Random& random) {
  for (int t = 0; t < terms; ++t) {
    all.keys.push_back(learning::key_of(all.state.add_bool(), 0));
    all.costs.push_back(random.between(1, 6));
    all.rule.add(all.keys.back(), all.costs.back());
  }
  for (int tries = 0; tries < 6; ++tries) {
    std::vector<std::uint32_t> core;
    unsigned bits = 0;
    for (std::uint32_t t = 0; t < terms; ++t)
      if (all.rule.terms()[t].left > 0 && random.between(0, 2) == 0) {
        core.push_back(t);
        bits |= 1U << t;
      }
    if (core.empty()) continue;
    all.rule.add_core(core);
    all.cores.push_back(bits);
  }
}

/// The minimum cost of an assignment in which `paid` are true, `spared` false and every core pays.
Value least(const Case& all, unsigned paid, unsigned spared) {
  Value best = 1000;
  for (unsigned chosen = 0; chosen < 1U << terms; ++chosen) {
    if ((chosen & paid) != paid || (chosen & spared) != 0) continue;
    if (std::any_of(all.cores.begin(), all.cores.end(),
                    [&](unsigned core) { return (core & chosen) == 0; }))
      continue;
    Value sum = 0;
    for (int t = 0; t < terms; ++t)
      if ((chosen >> t & 1U) != 0) sum += all.costs[static_cast<std::size_t>(t)];
    best = std::min(best, sum);
  }
  return best;
}

TEST(LearningCost, BoundsRefusalsAndReasonsAreTrue) {
  testing::Random random(5);
  int refusals = 0;
  int exceeded = 0;
  int better = 0;
  for (int round = 0; round < 3000; ++round) {
    Case all;
    fill(all, random);
    const Value limit = random.between(0, 24);
    all.state.open_level();
    unsigned paid = 0;
    Value alone = 0;
    for (int t = 0; t < terms; ++t) {
      if (random.between(0, 3) != 0) continue;
      ASSERT_TRUE(
          all.state.raise({all.keys[static_cast<std::size_t>(t)], 1}, {.rule = Rule::decision}));
      paid |= 1U << t;
      alone += all.costs[static_cast<std::size_t>(t)];
    }
    EXPECT_EQ(all.rule.sum(all.state), alone);
    const Value bound = all.rule.bound(all.state);
    EXPECT_GE(bound, alone);
    EXPECT_LE(bound, least(all, paid, 0));
    better += bound > alone ? 1 : 0;

    all.rule.set_limit(limit);
    const std::int32_t before = all.state.size();
    const CostRule::Outcome outcome = all.rule.propagate(all.state);
    EXPECT_EQ(outcome == CostRule::Outcome::exceeded, bound > limit);
    const auto as_bits = [&](const std::vector<Lit>& premises) {
      unsigned bits = 0;
      for (const Lit& premise : premises) {
        const auto at = std::find(all.keys.begin(), all.keys.end(), premise.key);
        EXPECT_NE(at, all.keys.end());
        bits |= 1U << (at - all.keys.begin());
      }
      EXPECT_EQ(bits & ~paid, 0U);
      return bits;
    };
    std::vector<Lit> premises;
    if (outcome == CostRule::Outcome::exceeded) {
      ++exceeded;
      all.rule.explain(all.state, Lit{}, all.state.size(), premises);
      EXPECT_GT(least(all, as_bits(premises), 0), limit);
      continue;
    }
    for (std::int32_t at = before; at < all.state.size(); ++at) {
      ++refusals;
      const Key refused = opposite(all.state.entry(at).key);
      premises.clear();
      all.rule.explain(all.state, {all.state.entry(at).key, 1}, at, premises);
      const auto term = std::find(all.keys.begin(), all.keys.end(), refused) - all.keys.begin();
      EXPECT_GT(least(all, as_bits(premises) | 1U << term, 0), limit);
    }
  }
  EXPECT_GT(refusals, 500);
  EXPECT_GT(exceeded, 500);
  EXPECT_GT(better, 500);
}

// Pairs of buffers of which only one has a place of its own: a core of one term each.
TEST(LearningCost, CoresGiveTheBound) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 30});
  constexpr BufferIndex buffers = 16;
  for (BufferIndex b = 0; b < buffers; ++b)
    problem.buffers.push_back({.id = "b" + std::to_string(b),
                               .live = {{static_cast<Step>(b), static_cast<Step>(b) + 1}},
                               .size = 10});
  for (BufferIndex a = 0; a < buffers; ++a)
    for (BufferIndex b = a + 1; b < buffers; ++b)
      problem.relations.push_back(
          {.kind = RelationKind::avoid_overlap, .buffers = {a, b}, .cost = 1});
  // 16 in three slots: 6, 5 and 5, with 15 + 10 + 10 pairs.
  const auto conflicts = [](const engine::SearchResult& result) {
    for (const Stat& stat : result.stats)
      if (stat.name == "conflicts") return std::get<std::int64_t>(stat.value);
    return std::int64_t{-1};
  };
  engine::SearchParams search;
  search.goal = Objective::cost;
  search.budget.max_nodes = 300;
  const engine::SearchResult with = make_learning_engine({})->solve(problem, search);
  const engine::SearchResult without =
      make_learning_engine({.cores = false})->solve(problem, search);
  ASSERT_EQ(with.status, Status::feasible);
  ASSERT_EQ(without.status, Status::feasible);
  EXPECT_GT(with.bound, without.bound) << conflicts(with) << " and " << conflicts(without);
  EXPECT_LE(with.bound, 35);
}

TEST(LearningCost, WhatIsProvedElsewhereIsCheapEnough) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 30});
  Relation apart{RelationKind::avoid_overlap, {}, 2};
  for (BufferIndex b = 0; b < 9; ++b) {
    const auto step = static_cast<Step>(b);
    problem.buffers.push_back(
        {.id = "b" + std::to_string(b), .live = {{step, step + 1}}, .size = b % 2 == 0 ? 10 : 9});
    apart.buffers.push_back(b);
  }
  problem.relations.push_back(apart);
  const auto engine = make_learning_engine({});
  engine::SearchParams params{.goal = Objective::cost};
  const engine::SearchResult best = engine->solve(problem, params);
  ASSERT_EQ(best.status, Status::feasible);
  EXPECT_EQ(best.bound, 9 * 2);  // three in each of three slots
  params.at_least = best.bound;
  const engine::SearchResult told = engine->solve(problem, params);
  ASSERT_EQ(told.status, Status::feasible);
  EXPECT_EQ(told.stop, StopReason::completed);
  EXPECT_EQ(told.bound, best.bound);
  EXPECT_EQ(soft_cost(problem, *told.placement), best.bound);
  const auto conflicts = [](const engine::SearchResult& found) {
    return std::get<std::int64_t>(found.stats.front().value);
  };
  EXPECT_LT(conflicts(told), conflicts(best));
}

}  // namespace
}  // namespace tessera::search
