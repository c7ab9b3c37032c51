// box() and its engine: correct, deterministic, with correct bounds and limits.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "search/placement/boxing/engine.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/engine_agreement.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"
#include "tests/unit/search/boxing/support.h"

namespace tessera::testing {
namespace {

using namespace std::chrono_literals;

TEST(Box, ElementaryCasesAreOptimalAtOnce) {
  // No overlaps.
  search::BoxingResult apart = search::box(problem_of({{.live = {{0, 2}}, .size = 7},
                                                       {.live = {{2, 5}}, .size = 3},
                                                       {.live = {{5, 6}}, .size = 9}}));
  EXPECT_TRUE(apart.proven_minimum);
  EXPECT_EQ(apart.heights, std::vector<Size>{9});
  // Equal sizes.
  PlacementProblem same = random_trace(4, 300, 20);
  for (Buffer& buffer : same.buffers) buffer.size = 24;
  for (Buffer& buffer : same.buffers) buffer.alignment = 16;
  const search::BoxingResult coloured = search::box(same);
  EXPECT_TRUE(coloured.proven_minimum);
  EXPECT_EQ(coloured.stats.front().name, "boxing.rounds");
  EXPECT_EQ(std::get<std::int64_t>(coloured.stats.front().value), 0);
  EXPECT_EQ(wrong(same, *coloured.placement), "");
  // An empty problem.
  const search::BoxingResult nothing = search::box(problem_of({}));
  EXPECT_EQ(nothing.status, Status::feasible);
  EXPECT_EQ(nothing.heights, std::vector<Size>{0});
}

TEST(Box, EveryPhaseAloneGivesRightPlacements) {
  const PlacementProblem problem = random_trace(6, 500, 12);
  for (int alone = 0; alone < 4; ++alone) {
    search::BoxingParams params;
    params.max_rounds = 60;
    params.threads = 1;
    params.stacking = alone == 0;
    params.boxing = alone == 1;
    params.improve = alone == 2;
    params.focus = alone == 3;
    params.exact = params.eject = false;
    const search::BoxingResult result = search::box(problem, params);
    ASSERT_TRUE(result.placement) << alone;
    EXPECT_EQ(wrong(problem, *result.placement), "") << alone;
    EXPECT_EQ(result.heights, heights(problem, *result.placement));
    EXPECT_GE(result.heights[0], result.lower_bounds[0]);
  }
}

TEST(Box, EveryPhaseHelpsSomewhere) {
  // With a phase switched off, some of these end higher, and the total is higher.
  std::vector<PlacementProblem> problems;
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    problems.push_back(random_trace(seed, 400, seed % 2 == 0 ? 12 : 30));
  const auto total = [&](const search::BoxingParams& params) {
    double sum = 0;
    for (const PlacementProblem& problem : problems)
      sum += static_cast<double>(search::box(problem, params).heights[0]);
    return sum;
  };
  search::BoxingParams all;
  all.max_rounds = 200;
  search::BoxingParams none = all;
  none.boxing = none.improve = none.focus = none.exact = none.eject = false;
  search::BoxingParams only_boxing = none;
  only_boxing.boxing = true;
  only_boxing.stacking = false;
  EXPECT_LT(total(all), total(none));
  EXPECT_LT(total(none), total(only_boxing));
}

TEST(Box, SameSeedSamePlacementWhateverTheThreads) {
  for (const std::int64_t live : {12, 60}) {
    const PlacementProblem problem = random_trace(7, 600, live);
    search::BoxingParams params;
    params.seed = 42;
    params.max_rounds = 70;
    std::optional<search::BoxingResult> first;
    for (const int threads : {1, 2, 3, 5}) {
      params.threads = threads;
      search::BoxingResult result = search::box(problem, params);
      ASSERT_TRUE(result.placement);
      if (!first) {
        first = std::move(result);
        continue;
      }
      EXPECT_EQ(first->placement->places, result.placement->places) << threads;
      EXPECT_EQ(first->heights, result.heights);
      EXPECT_EQ(first->lower_bounds, result.lower_bounds);
    }
  }
}

TEST(Box, HeightsOverTimeFall) {
  const search::BoxingResult result = search::box(random_trace(8, 500, 14), {.max_rounds = 150});
  ASSERT_FALSE(result.over_time.empty());
  EXPECT_EQ(result.over_time.back().height, result.heights[0]);
  for (std::size_t k = 1; k < result.over_time.size(); ++k)
    EXPECT_LT(result.over_time[k].height, result.over_time[k - 1].height);
  for (const search::HeightAt& at : result.over_time) EXPECT_GE(at.seconds, 0);
}

TEST(Box, ObeysItsBudget) {
  PlacementProblem hard = random_trace(9, 3000, 40);
  const auto start = std::chrono::steady_clock::now();
  // A first placement takes a few milliseconds, and a hundred times as long in a slow build.
  const std::chrono::milliseconds allowed = testing::quick ? 300ms : 5s;
  const search::BoxingResult result = search::box(hard, {.budget = {.deadline = start + allowed}});
  EXPECT_LT(std::chrono::steady_clock::now() - start, allowed + 5s);
  ASSERT_TRUE(result.placement);
  if (!result.proven_minimum) {
    EXPECT_EQ(result.stop, StopReason::time_limit);
  }

  std::stop_source stopped;
  stopped.request_stop();
  const search::BoxingResult none =
      search::box(random_trace(10, 30'000, 40), {.budget = {.stop = stopped.get_token()}});
  EXPECT_EQ(none.stop, StopReason::interrupted);
  EXPECT_EQ(none.status, none.placement ? Status::feasible : Status::unknown);
}

TEST(Box, CountsRoundsTimesBuffersAsNodes) {
  const PlacementProblem problem = random_trace(7, 600, 60);
  Size before = std::numeric_limits<Size>::max();
  for (const std::int64_t rounds : {1, 10, 100}) {
    search::BoxingParams params;
    params.budget.max_nodes = rounds * 600;
    std::optional<search::BoxingResult> first;
    for (const int threads : {1, 2}) {
      params.threads = threads;
      search::BoxingResult result = search::box(problem, params);
      ASSERT_TRUE(result.placement);
      EXPECT_EQ(result.stop, StopReason::node_limit);
      EXPECT_EQ(result.stats.front().name, "boxing.rounds");
      EXPECT_LE(std::get<std::int64_t>(result.stats.front().value), rounds);
      EXPECT_LE(result.heights[0], before);
      before = result.heights[0];
    }
  }
  // Several memories together get no more, except for the first round of each.
  PlacementProblem two = problem;
  two.memories.push_back({.name = "n"});
  for (BufferIndex b = 0; b < two.buffers.size(); ++b) two.buffers[b].memories = {b % 2};
  search::BoxingParams params;
  params.budget.max_nodes = 10 * 300;
  const search::BoxingResult result = search::box(two, params);
  ASSERT_TRUE(result.placement);
  EXPECT_LE(std::get<std::int64_t>(result.stats.front().value), 11);
}

TEST(Box, StopsAtTheTarget) {
  const PlacementProblem problem = random_trace(9, 500, 14);
  search::BoxingParams params;
  params.targets = {std::numeric_limits<Size>::max()};
  const search::BoxingResult result = search::box(problem, params);
  EXPECT_EQ(std::get<std::int64_t>(result.stats.front().value), 1);
}

/// Compares heights of box() with the minimum.
void compare_with_least(const Features& features, std::uint64_t first_seed, std::size_t most) {
  const int count = static_cast<int>(effort(most));
  int solved = 0;
  int least = 0;
  for (int k = 0; k < count; ++k) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(k);
    Random random(seed);
    const PlacementProblem problem = random_problem(random, features);
    ASSERT_TRUE(validate(problem).empty());
    if (!search::boxing_features().contains(facts::features_of(problem))) continue;
    const auto best = brute_force(problem, OracleGoal::height);
    const search::BoxingResult result =
        search::box(problem, {.seed = seed, .threads = 1, .max_rounds = 40});
    if (result.status == Status::feasible) {
      ASSERT_TRUE(best) << "seed " << seed << " has no placement\n" << to_yaml(problem);
      EXPECT_EQ(wrong(problem, *result.placement), "") << "seed " << seed;
      EXPECT_TRUE(keeps_every_rule(problem, *result.placement)) << "seed " << seed;
    }
    if (!best) continue;
    ++solved;
    Size bounds = 0;
    Size found = 0;
    for (const Size bound : result.lower_bounds) bounds += bound;
    for (const Size height : result.heights) found += height;
    // The bound holds for each memory; the sum is compared with the minimum sum.
    EXPECT_LE(bounds, best->value) << "seed " << seed << "\n" << to_yaml(problem);
    if (result.status == Status::feasible && found == best->value) ++least;
    if (result.proven_minimum && result.status == Status::feasible) {
      EXPECT_EQ(found, best->value) << "seed " << seed;
    }
  }
  // Tiny problems: the minimum height almost always.
  EXPECT_GT(solved, count / 10);
  // A small sample may contain hard problems by chance.
  if (count >= 200) {
    EXPECT_GE(least * 100, solved * 85);
  }
}

TEST(BoxRandom, PlainProblems) {
  compare_with_least(Features::plain(), 1000, 300);
}

TEST(BoxRandom, OneAddressSpace) {
  Features features = Features::one_address_space();
  features.relations.clear();
  features.soft_costs = false;
  compare_with_least(features, 5000, 400);
}

TEST(BoxRandom, SeveralMemories) {
  Features features = Features::one_address_space();
  features.relations.clear();
  features.several_memories = true;
  compare_with_least(features, 9000, 300);
}

TEST(BoxRandom, EngineNeverContradictsTheOracle) {
  const auto engine = search::make_boxing_engine({.threads = 1, .max_rounds = 40});
  for (std::uint64_t seed = 0; seed < effort(600); ++seed) {
    Random random(seed);
    const PlacementProblem problem = random_problem(random, Features::all());
    if (engine->unsupported(problem, Objective::fit)) continue;
    const engine::SearchResult result = engine->solve(problem, {});
    EXPECT_NE(result.status, Status::infeasible);
    if (result.status == Status::feasible) {
      EXPECT_EQ(wrong(problem, *result.placement), "") << "seed " << seed;
    } else {
      EXPECT_FALSE(result.reason.empty());
    }
  }
}

TEST(Box, SaysWhatItCannotTake) {
  PlacementProblem problem = random_trace(1, 4, 2);
  const std::unique_ptr<engine::PlacementEngine> engine = search::make_boxing_engine();
  EXPECT_FALSE(engine->unsupported(problem, Objective::fit));
  problem.relations.push_back({.kind = RelationKind::adjacent, .buffers = {0, 1}});
  EXPECT_NE(engine->unsupported(problem, Objective::fit)->find("adjacent"), std::string::npos);
  problem.relations.clear();
  EXPECT_TRUE(engine->unsupported(problem, Objective::cost));
  problem.memories[0].banks = {{"b", 10, {Role::read}}};
  problem.memories[0].capacity = 10;
  problem.memories[0].modes_per_bank = true;
  EXPECT_NE(engine->unsupported(problem, Objective::fit)->find("modes"), std::string::npos);
}

TEST(Box, FixedBuffersThatMeetAreNotAnAnswer) {
  const search::BoxingResult result =
      search::box(problem_of({{.live = {{0, 3}}, .size = 4, .offset = 0},
                              {.live = {{1, 4}}, .size = 4, .offset = 2},
                              {.live = {{1, 4}}, .size = 4}}));
  EXPECT_EQ(result.status, Status::unknown);
  EXPECT_FALSE(result.placement);
  EXPECT_FALSE(result.reason.empty());
}

TEST(Box, TooHighIsUnknownWithThePlacementBesideIt) {
  // The load is 5 in a memory of 4.
  PlacementProblem problem =
      problem_of({{.live = {{0, 3}}, .size = 2}, {.live = {{1, 4}}, .size = 3}}, {.capacity = 4});
  const search::BoxingResult result = search::box(problem);
  EXPECT_EQ(result.status, Status::unknown);
  ASSERT_TRUE(result.placement);
  EXPECT_EQ(result.heights[0], 5);
  EXPECT_NE(result.reason.find("5 bytes"), std::string::npos);
}

}  // namespace
}  // namespace tessera::testing
