#include "search/placement/canonical.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <variant>

#include "search/placement/canonical_core.h"
#include "search/placement/canonical_orders.h"
#include "search/placement/failed_states.h"
#include "tessera/check.h"

namespace tessera::search {
namespace {

/// Full steps: intervals are added while the load stays below the capacity; the last ones are cut.
PlacementProblem flat(std::size_t buffers, Size capacity, std::uint64_t seed) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  Random random(seed);
  const std::size_t steps = buffers / 3 + 2;
  std::vector<Size> load(steps, 0);
  for (int misses = 0; problem.buffers.size() < buffers && misses < 10'000;) {
    const std::size_t lower = random.below(steps);
    const std::size_t upper = std::min(steps, lower + 1 + random.below(6));
    Size room = capacity;
    for (std::size_t t = lower; t < upper; ++t) room = std::min(room, capacity - load[t]);
    if (room <= 0) {
      ++misses;
      continue;
    }
    const Size size = std::min<Size>(room, 1 + static_cast<Size>(random.below(60)));
    for (std::size_t t = lower; t < upper; ++t) load[t] += size;
    problem.buffers.push_back({.id = "b" + std::to_string(problem.buffers.size()),
                               .live = {{static_cast<Step>(lower), static_cast<Step>(upper)}},
                               .size = size});
  }
  return problem;
}

std::int64_t stat(const engine::SearchResult& result, std::string_view name) {
  for (const Stat& each : result.stats) {
    if (each.name == name) return std::get<std::int64_t>(each.value);
  }
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

engine::SearchResult solve(const PlacementProblem& problem, const CanonicalParams& params,
                           std::int64_t nodes = 5'000) {
  return make_canonical_engine(params)->solve(problem, {.budget = {.max_nodes = nodes}});
}

struct RuleCase {
  const char* name;
  bool CanonicalParams::*rule;
};

class CanonicalRule : public ::testing::TestWithParam<RuleCase> {};

/// Over many small full problems the result is the same without the rule, and needs more nodes.
TEST_P(CanonicalRule, PrunesAndDoesNotChangeTheAnswer) {
  CanonicalParams with;
  with.restarts = false;
  with.local_choice = false;
  // A buffer that lifts nothing cannot be lifted either: dominance detects that too, one step
  // later.
  if (GetParam().rule == &CanonicalParams::hatless) with.dominance = false;
  // Backjumping prunes what hatless and decomposition prune.
  with.backjumping = false;
  CanonicalParams without = with;
  without.*GetParam().rule = false;
  std::int64_t nodes_with = 0;
  std::int64_t nodes_without = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    PlacementProblem problem = flat(18, 60, seed);
    // Every third problem with equal buffers, every third one with a capacity that sizes cannot
    // form.
    if (seed % 3 == 1) {
      for (Buffer& buffer : problem.buffers) buffer.size = (buffer.size + 9) / 10 * 10;
      problem.memories[0].capacity = 74;
    } else if (seed % 3 == 2) {
      problem = flat(40, 60, seed);
      problem.memories[0].capacity = 61;
    }
    const engine::SearchResult a = solve(problem, with);
    const engine::SearchResult b = solve(problem, without);
    if (a.status != Status::unknown && b.status != Status::unknown) {
      EXPECT_EQ(a.status, b.status) << "seed " << seed;
    }
    if (b.placement) {
      EXPECT_TRUE(check(problem, *b.placement).empty());
    }
    nodes_with += stat(a, "nodes");
    nodes_without += stat(b, "nodes");
  }
  EXPECT_LT(nodes_with, nodes_without);
}

INSTANTIATE_TEST_SUITE_P(
    All, CanonicalRule,
    ::testing::Values(RuleCase{"section_inference", &CanonicalParams::section_inference},
                      RuleCase{"dominance", &CanonicalParams::dominance},
                      RuleCase{"decomposition", &CanonicalParams::decomposition},
                      RuleCase{"hatless", &CanonicalParams::hatless},
                      RuleCase{"unallocated_floor", &CanonicalParams::unallocated_floor},
                      RuleCase{"one_machine", &CanonicalParams::one_machine},
                      RuleCase{"failed_states", &CanonicalParams::failed_states}),
    [](const auto& rule) { return std::string(rule.param.name); });

TEST(Canonical, NamesTheConstraintsOfABufferWithoutAddress) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 8});
  problem.buffers.push_back(
      {.id = "a", .live = {{0, 3}}, .size = 4, .alignment = 4, .offset = Offset{3}});
  EXPECT_EQ(solve(problem, {}).reason,
            "Buffer 'a' has no possible address: its size, its alignment, its fixed offset and the "
            "capacity exclude every offset.");
}

/// Rounding the capacity to a sum of sizes preserves the result.
TEST(Canonical, SubsetSumsKeepTheAnswer) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 14});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 6});
  problem.buffers.push_back({.id = "b", .live = {{1, 3}}, .size = 6});
  problem.buffers.push_back({.id = "c", .live = {{3, 4}}, .size = 10});
  problem.buffers.push_back({.id = "d", .live = {{2, 4}}, .size = 3});
  for (const bool rule : {false, true}) {
    EXPECT_EQ(solve(problem, {.subset_sums = rule}).status, Status::feasible) << rule;
  }
  problem.relations.push_back({RelationKind::disjoint, {0, 3}, 0});
  const Status plain = solve(problem, {.subset_sums = false}).status;
  EXPECT_EQ(solve(problem, {.subset_sums = true}).status, plain);
}

TEST(Canonical, ALimitIsNotANo) {
  const PlacementProblem problem = flat(60, 256, 5);
  const engine::SearchResult result = solve(problem, {}, 1);
  if (result.status == Status::unknown) {
    EXPECT_EQ(result.stop, StopReason::node_limit);
    EXPECT_FALSE(result.reason.empty());
  }
}

TEST(Canonical, TheSameSeedGivesTheSamePlacement) {
  const PlacementProblem problem = flat(40, 200, 3);
  const engine::SearchResult a = solve(problem, {});
  const engine::SearchResult b = solve(problem, {});
  ASSERT_EQ(a.status, b.status);
  ASSERT_EQ(a.placement.has_value(), b.placement.has_value());
  if (a.placement) {
    EXPECT_EQ(a.placement->places, b.placement->places);
  }
}

TEST(Canonical, SaysWhatItDoesNotKnow) {
  PlacementProblem problem = flat(5, 100, 1);
  const auto engine = make_canonical_engine();
  EXPECT_FALSE(engine->unsupported(problem, Objective::fit));
  EXPECT_TRUE(engine->unsupported(problem, Objective::cost));
  problem.relations.push_back({RelationKind::adjacent, {0, 1}, 0});
  EXPECT_TRUE(engine->unsupported(problem, Objective::fit));
  problem.relations.clear();
  problem.memories.push_back({.name = "n", .capacity = 10});
  EXPECT_TRUE(engine->unsupported(problem, Objective::fit));
}

/// With windows, two buffers may each lie above the other at some step.
TEST(Canonical, InterlocksBuffersWithWindows) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 110});
  problem.buffers.push_back({.id = "stairs", .live = {{0, 2}}, .size = 110});
  problem.buffers.back().gaps = {{{0, 1}, AddressRange{0, 10}}, {{1, 2}, AddressRange{100, 110}}};
  problem.buffers.push_back({.id = "between", .live = {{0, 2}}, .size = 90});
  const engine::SearchResult result = solve(problem, {});
  ASSERT_EQ(result.status, Status::feasible);
  EXPECT_TRUE(check(problem, *result.placement).empty());
  problem.buffers.back().size = 91;
  EXPECT_EQ(solve(problem, {}).status, Status::infeasible);
}

/// Found by random tests: rounding hid an offset that the group's alignment forbids.
TEST(Canonical, AFixedOffsetThatAlignmentForbidsFitsNowhere) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 5});
  problem.buffers.push_back({.id = "b", .live = {{2, 3}}, .size = 5, .alignment = 4});
  problem.buffers.push_back({.id = "c", .live = {{1, 2}}, .size = 5, .offset = 3});
  problem.relations.push_back({RelationKind::same_offset, {1, 0}, 0});
  EXPECT_EQ(solve(problem, {}).status, Status::infeasible);
}

/// Found by random tests: the one-machine rule measured a window from the offset for buffers that
/// start lower.
TEST(Canonical, OneMachineCountsFromReleases) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 16});
  const auto add = [&](const char* id, StepRange live, Size size) -> Buffer& {
    problem.buffers.push_back({.id = id, .live = {live}, .size = size});
    return problem.buffers.back();
  };
  add("a", {3, 4}, 3).window = AddressRange{2, 5};
  add("b", {3, 4}, 3).offset = 6;
  add("c", {2, 5}, 3).gaps = {{{2, 3}, AddressRange{2, 3}}};
  add("d", {3, 4}, 3).gaps = {{{3, 4}, AddressRange{1, 3}}};
  add("e", {4, 5}, 1);
  add("f", {2, 4}, 2).offset = 12;
  problem.relations.push_back({RelationKind::disjoint, {2, 3}, 0});
  EXPECT_EQ(solve(problem, {.restarts = false}).status, Status::feasible);
}

/// Found by random tests: the largest member of a group is not part of each of its steps.
TEST(Canonical, SumsOfSizesDoNotBoundGroups) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 5});
  problem.buffers.push_back({.id = "b", .live = {{1, 2}}, .size = 2});
  problem.buffers.push_back({.id = "c", .live = {{3, 4}}, .size = 4});
  problem.buffers.push_back({.id = "d", .live = {{3, 4}}, .size = 1});
  problem.relations.push_back({RelationKind::same_offset, {2, 0}, 0});
  EXPECT_EQ(solve(problem, {}).status, Status::feasible);
}

TEST(CanonicalCore, UnitsAndSections) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 100, .alignment = 8});
  problem.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 9});
  problem.buffers.push_back({.id = "b", .live = {{1, 5}}, .size = 30});
  problem.buffers.push_back({.id = "c", .live = {{4, 6}}, .size = 16});
  canonical::Core core;
  Poll never;
  canonical::build_core(problem, 0, core, never);
  EXPECT_EQ(core.unit, 16);
  EXPECT_EQ(core.sections, 2);  // {a, b} and {b, c}
  EXPECT_EQ(core.pair_item.size(), 4U);
  EXPECT_EQ(core.items[0].size, 1);
  EXPECT_EQ(core.items[1].latest, 4);  // 70 / 16
}

TEST(FailedStates, OnlyEqualKeysAreEqual) {
  canonical::FailedStates<std::int16_t> table(1 << 16);
  const std::vector<std::int16_t> key = {1, 2, 3};
  const std::vector<std::int16_t> other = {1, 2, 4};
  table.insert(key, 42);
  EXPECT_TRUE(table.contains(key, 42));
  EXPECT_FALSE(table.contains(other, 42));  // the same hash, another state
}

TEST(FailedStates, StartsAgainWhenItsMemoryIsUsedUp) {
  canonical::FailedStates<std::int16_t> table(4096);
  for (std::int16_t i = 0; i < 2000; ++i) {
    const std::vector<std::int16_t> key(8, i);
    table.insert(key, canonical::FailedStates<std::int16_t>::hash(key));
    EXPECT_TRUE(table.contains(key, canonical::FailedStates<std::int16_t>::hash(key)));
  }
  EXPECT_LT(table.size(), 300U);
}

}  // namespace
}  // namespace tessera::search
