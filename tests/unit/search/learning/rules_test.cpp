// Each pruning rule of the learning engine prunes; its components keep their contracts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/learning/balance.h"
#include "search/learning/engine.h"
#include "search/learning/rest.h"
#include "search/learning/section.h"
#include "search/learning/state.h"
#include "tessera/check.h"
#include "tests/support/random.h"

namespace tessera::search {
namespace {

using learning::key_of;
using learning::Lit;
using learning::Rule;
using learning::State;
using learning::Var;

TEST(LearningState, BoundsAreRoundedNegatedAndUndone) {
  State state;
  const Var v = state.add_offset(6, 4, 0, -30);  // offsets 0, 4, ..., 24
  EXPECT_EQ(state.bound(key_of(v, 0)), 0);
  EXPECT_EQ(state.bound(key_of(v, 1)), -30);
  const Lit later{key_of(v, 0), 5};
  EXPECT_EQ(state.rounded(later).value, 8);
  EXPECT_EQ(state.unrounded(state.rounded(later)).value, 5);
  EXPECT_EQ(state.negation(state.negation(later)), later);
  state.open_level();
  ASSERT_TRUE(state.raise(later, {.rule = Rule::decision}));
  EXPECT_EQ(state.bound(key_of(v, 0)), 8);
  EXPECT_TRUE(state.fails({key_of(v, 1), -13}));  // an end at most 13 would need an offset of 7
  EXPECT_FALSE(state.raise({key_of(v, 1), -13}, {.rule = Rule::decision}));
  EXPECT_EQ(state.entry_of({key_of(v, 0), 3}), 0);
  EXPECT_EQ(state.bound_before(key_of(v, 0), 0), 0);
  state.pop();
  state.close_levels(0);
  EXPECT_EQ(state.bound(key_of(v, 0)), 0);
  EXPECT_EQ(state.entry_of({key_of(v, 0), 0}), -1);
}

TEST(LearningSection, TheFullestWindowIsFoundUnderInsertion) {
  learning::FullestWindow window;
  window.clear(3);  // by earliest start: 0, 2, 9
  window.insert(1, 2, 5);
  EXPECT_EQ(window.completion(), 7);
  window.insert(2, 9, 1);
  EXPECT_EQ(window.completion(), 10);
  window.insert(0, 0, 4);
  EXPECT_EQ(window.completion(), 10);  // 0 + 4 + 5 + 1
}

/// The load equals the capacity at every step.
PlacementProblem full_problem(std::uint64_t seed, int buffers) {
  testing::Random random(seed);
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 64});
  std::vector<Size> load(12, 0);
  const auto add = [&](Step lower, Step upper, Size size) {
    for (Step t = lower; t < upper; ++t) load[static_cast<std::size_t>(t)] += size;
    problem.buffers.push_back({.id = "b" + std::to_string(problem.buffers.size()),
                               .live = {{lower, upper}},
                               .size = size});
  };
  for (int b = 0; b < buffers; ++b) {
    const Step lower = random.between(0, 11);
    const Step upper = std::min<Step>(12, lower + random.between(1, 5));
    Size size = random.between(4, 24);
    for (Step t = lower; t < upper; ++t)
      size = std::min(size, 64 - load[static_cast<std::size_t>(t)]);
    if (size > 0) add(lower, upper, size);
  }
  for (Step t = 0; t < 12; ++t)
    if (const Size rest = 64 - load[static_cast<std::size_t>(t)]; rest > 0) add(t, t + 1, rest);
  return problem;
}

struct Effort {
  std::int64_t conflicts = 0;
  std::int64_t literals = 0;
  std::vector<Status> answers;
};

Effort effort(const LearningParams& params, int buffers = 40) {
  Effort total;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    engine::SearchParams search;
    search.seed = seed;
    const engine::SearchResult found =
        make_learning_engine(params)->solve(full_problem(seed, buffers), search);
    total.answers.push_back(found.status);
    for (const Stat& stat : found.stats) {
      if (stat.name == "conflicts") total.conflicts += std::get<std::int64_t>(stat.value);
      if (stat.name == "learned_literals") total.literals += std::get<std::int64_t>(stat.value);
    }
  }
  return total;
}

TEST(LearningRules, EachPrunesAndNoneChangesAnAnswer) {
  // Turns of the place search without section rules would distort the counts. Balance refutes most
  // of these at once: the others are measured without it.
  const LearningParams base{.not_first = true, .balance = false, .place_search = false};
  const Effort all = effort(base, 55);
  const std::pair<const char*, bool LearningParams::*> rules[] = {
      {"edge finding", &LearningParams::edge_finding},
      {"energy", &LearningParams::energy},
      {"not_first", &LearningParams::not_first}};
  for (const auto& [name, member] : rules) {
    LearningParams params = base;
    params.*member = false;
    const Effort without = effort(params, 55);
    EXPECT_EQ(without.answers, all.answers) << name;
    EXPECT_GT(without.conflicts, all.conflicts) << name;
  }
  LearningParams balanced = base;
  balanced.balance = true;
  const Effort with = effort(balanced, 55);
  EXPECT_EQ(with.answers, all.answers);
  EXPECT_LT(with.conflicts, all.conflicts / 2);
  // Slack is most effective together with all others.
  const Effort standard = effort({}, 55);
  EXPECT_EQ(standard.answers, all.answers);
  const Effort particular = effort({.generalise = false}, 55);
  EXPECT_EQ(particular.answers, all.answers);
  EXPECT_GT(particular.conflicts, standard.conflicts);
  LearningParams unminimised = base;
  unminimised.minimise = false;
  const Effort longer = effort(unminimised, 55);
  EXPECT_EQ(longer.answers, all.answers);
  EXPECT_GT(longer.literals * all.conflicts, all.literals * longer.conflicts);
}

TEST(LearningRules, TheOrderOfRowsDoesNotMatter) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    PlacementProblem problem = full_problem(seed, 55);
    const auto conflicts = [&] {
      const engine::SearchResult found = make_learning_engine({})->solve(problem, {});
      if (found.placement) {
        EXPECT_TRUE(check(problem, *found.placement, 1).empty());
      }
      for (const Stat& stat : found.stats)
        if (stat.name == "conflicts") return std::get<std::int64_t>(stat.value);
      return std::int64_t{-1};
    };
    const std::int64_t as_they_stand = conflicts();
    testing::Random random(seed);
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
      for (std::int64_t k = std::ssize(problem.buffers) - 1; k > 0; --k)
        std::swap(problem.buffers[static_cast<std::size_t>(k)],
                  problem.buffers[static_cast<std::size_t>(random.between(0, k))]);
      EXPECT_EQ(conflicts(), as_they_stand) << "seed " << seed;
    }
  }
}

/// Short lifetimes, and many pairs separated by relations; about as high as the heaviest of their
/// sets.
PlacementProblem told_apart(std::uint64_t seed) {
  testing::Random random(seed);
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 120 + random.between(0, 30)});
  const Step steps = 24;
  for (int b = 0; b < 24; ++b) {
    const Step lower = random.between(0, steps - 1);
    problem.buffers.push_back({.id = "b" + std::to_string(b),
                               .live = {{lower, lower + random.between(1, 3)}},
                               .size = random.between(4, 39)});
  }
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    for (BufferIndex a = 0; a < b; ++a)
      if (std::abs(problem.buffers[a].live[0].lower - problem.buffers[b].live[0].lower) < 8 &&
          random.chance(50))
        problem.relations.push_back({RelationKind::disjoint, {a, b}, 0});
  return problem;
}

TEST(LearningRules, SectionsOfRelationsPrune) {
  std::int64_t conflicts[2] = {0, 0};
  int refuted = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Status answers[2];
    for (const bool cliques : {false, true}) {
      const engine::SearchResult found =
          make_learning_engine({.cliques = cliques})->solve(told_apart(seed), {});
      answers[cliques ? 1 : 0] = found.status;
      for (const Stat& stat : found.stats)
        if (stat.name == "conflicts")
          conflicts[cliques ? 1 : 0] += std::get<std::int64_t>(stat.value);
    }
    EXPECT_EQ(answers[0], answers[1]) << seed;
    refuted += answers[0] == Status::infeasible ? 1 : 0;
  }
  EXPECT_GT(refuted, 5);
  EXPECT_LT(refuted, 35);
  EXPECT_LT(conflicts[1], conflicts[0] / 2) << conflicts[0];
}

TEST(LearningBalance, WhatComesBelowLeavesNoRoomForWhatStaysAbove) {
  // Capacity 10: i (2) and c (3) stay, q (4) ends, p (4) begins.
  State state;
  Poll never;
  const LearningParams params;
  learning::OrderRules orders(true);
  learning::SectionRules sections(params, orders);
  const auto add = [&](Size size) {
    return orders.add_item(state, state.add_offset(size, 1, 0, -10), 0, size);
  };
  const auto i = add(2);
  const auto c = add(3);
  const auto p = add(4);
  const auto q = add(4);
  for (const auto& [a, b] : {std::pair{i, c}, {i, p}, {c, p}, {i, q}, {c, q}})
    orders.add_pair(state, a, b);
  orders.finish(state, never);
  sections.add_section({{i}, {c}, {q}}, true);
  sections.add_section({{i}, {c}, {p}}, true);
  sections.finish(state, never);
  learning::BalanceRules balance;
  balance.finish(state, orders, sections, false, never);
  EXPECT_EQ(balance.size(), 0U);
  balance.finish(state, orders, sections, true, never);
  EXPECT_EQ(balance.size(), 4U);  // about i and about c, in both directions

  std::uint64_t work = 0;
  const learning::Key p_below_i = orders.below(p, i);
  const learning::Key i_below_q = orders.below(i, q);
  state.open_level();
  ASSERT_TRUE(state.raise({p_below_i, 1}, {.rule = Rule::decision}));
  balance.count(p_below_i);
  ASSERT_TRUE(balance.propagate(state, p_below_i, work));
  EXPECT_TRUE(state.fails({i_below_q, 1}));
  EXPECT_FALSE(state.fails({orders.below(c, q), 1}));
  std::vector<Lit> premises;
  std::vector<learning::ItemIndex> members;
  const learning::Entry& entry = state.entry(1);
  ASSERT_EQ(entry.reason.rule, Rule::balance);
  balance.explain(state, entry.reason, {entry.key, 1}, 1, true, premises, members);
  EXPECT_EQ(premises, (std::vector<Lit>{{p_below_i, 1}}));
  EXPECT_THAT(members, ::testing::UnorderedElementsAre(i, c, p, q));
  balance.undo(p_below_i);
  state.pop();
  state.pop();
  state.close_levels(0);

  // The opposite order first, or none: no conflict.
  ASSERT_TRUE(state.raise({orders.below(i, p), 1}, {.rule = Rule::decision}));
  balance.count(orders.below(i, p));
  ASSERT_TRUE(balance.propagate(state, orders.below(i, p), work));
  EXPECT_FALSE(state.fails({i_below_q, 1}));
}

TEST(LearningRests, WhatNothingCarriesIsLifted) {
  State state;
  Poll never;
  learning::OrderRules orders(true);
  learning::RestRules rests;
  const Var low = state.add_offset(4, 1, 0, -20);
  const Var high = state.add_offset(5, 1, 0, -20);
  const auto i = orders.add_item(state, low, 0, 4);
  const auto j = orders.add_item(state, high, 0, 5);
  const learning::Key below = orders.add_pair(state, i, j);
  orders.finish(state, never);
  rests.add(high, 0);
  rests.add_neighbour(high, below);
  ASSERT_TRUE(rests.governs(high));
  EXPECT_FALSE(rests.governs(low));
  ASSERT_TRUE(rests.lift(state, orders, high));
  EXPECT_EQ(state.bound(key_of(high, 0)), 0);  // at offset 0
  state.open_level();
  ASSERT_TRUE(state.raise({key_of(high, 0), 1}, {.rule = Rule::decision}));
  ASSERT_TRUE(rests.lift(state, orders, high));
  EXPECT_EQ(state.bound(key_of(high, 0)), 4);  // on the other one, wherever it is
  std::vector<Lit> premises;
  rests.explain(state, orders, {key_of(high, 0), 3}, 1, premises);
  const std::vector<Lit> why{{key_of(low, 0), -1}, {key_of(high, 0), 1}};
  EXPECT_EQ(premises, why);  // the weakest premises that support the required value
  ASSERT_TRUE(state.raise({learning::opposite(below), 1}, {.rule = Rule::decision}));
  EXPECT_FALSE(rests.lift(state, orders, high));  // no buffer can support it
}

TEST(LearningEngine, IsTheSameRunWithTheSameSeed) {
  const Effort once = effort({});
  const Effort again = effort({});
  EXPECT_EQ(once.conflicts, again.conflicts);
  EXPECT_EQ(once.literals, again.literals);
}

TEST(LearningEngine, ReportsALimitAsUnknown) {
  engine::SearchParams search;
  search.budget.max_nodes = 1;
  bool stopped = false;
  for (std::uint64_t seed = 1; seed <= 25 && !stopped; ++seed) {
    const engine::SearchResult found =
        make_learning_engine({})->solve(full_problem(seed, 40), search);
    stopped = found.status == Status::unknown;
    if (stopped) {
      EXPECT_EQ(found.stop, StopReason::node_limit);
    }
  }
  EXPECT_TRUE(stopped);
}

TEST(LearningEngine, SaysWhatIsTooLarge) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 1 << 20});
  for (int b = 0; b < 5000; ++b)
    problem.buffers.push_back({.id = "b" + std::to_string(b), .live = {{b, b + 1}}, .size = 1});
  const auto why = make_learning_engine({})->unsupported(problem, Objective::fit);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("4096"), std::string::npos);
}

}  // namespace
}  // namespace tessera::search
