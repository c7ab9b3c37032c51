#include "placer/height.h"

#include <gtest/gtest.h>

#include <chrono>

#include "model/claim_problem.h"
#include "placer/make_engine.h"
#include "tessera/check.h"
#include "tessera/generate.h"
#include "tessera/validate.h"
#include "tests/support/random.h"

namespace tessera::placer {
namespace {

PlacementProblem three_memories() {
  PlacementProblem problem;
  for (const char* name : {"a", "b", "c"})
    problem.memories.push_back({.name = name, .capacity = 64});
  problem.buffers.push_back({.id = "x", .live = {{0, 1}}, .size = 4, .memories = {0}});
  problem.buffers.push_back({.id = "y", .live = {{0, 1}}, .size = 4, .memories = {1}});
  problem.buffers.push_back({.id = "z", .live = {{0, 1}}, .size = 4, .memories = {2}});
  return problem;
}

TEST(MemoryGroups, TiedBuffersLeaveMemoriesAlone) {
  EXPECT_EQ(memory_groups(three_memories()).size(), 3U);
}

TEST(MemoryGroups, AChoiceOrARelationJoinsThem) {
  PlacementProblem problem = three_memories();
  problem.buffers[0].memories = {0, 2};
  EXPECT_EQ(memory_groups(problem), (std::vector<std::vector<MemoryIndex>>{{0, 2}, {1}}));
  problem.relations.push_back({RelationKind::same_offset, {0, 1}, 0});
  EXPECT_EQ(memory_groups(problem), (std::vector<std::vector<MemoryIndex>>{{0, 1, 2}}));
}

TEST(LimitHeight, KeepsTheProblemValid) {
  PlacementProblem problem = three_memories();
  problem.memories[0].reserved = {{0, 4}, {30, 40}};
  problem.memories[1].banks = {{"b0", 32, {}}, {"b1", 32, {}}};
  limit_height(problem.memories[0], 20);
  limit_height(problem.memories[1], 20);
  limit_height(problem.memories[2], 100);
  EXPECT_TRUE(validate(problem).empty());
  EXPECT_EQ(problem.memories[0].capacity, 20);
  EXPECT_EQ(problem.memories[1].capacity, 64);
  EXPECT_EQ(problem.memories[1].reserved.back(), (AddressRange{20, 64}));
  EXPECT_EQ(problem.memories[2].capacity, 64);
}

TEST(LeastHeight, MinimisesTheLargestOfMemoriesWithAChoice) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "a", .capacity = 64});
  problem.memories.push_back({.name = "b", .capacity = 64});
  for (int i = 0; i < 4; ++i)
    problem.buffers.push_back(
        {.id = "x" + std::to_string(i), .live = {{0, 1}}, .size = 3 + i, .memories = {}});
  HeightParams params;
  params.lower_bounds = {0, 0};
  const HeightResult least = least_height(problem, std::nullopt, params);
  ASSERT_EQ(least.found.status, Status::feasible);
  EXPECT_TRUE(least.proven);
  Size top = 0;
  for (BufferIndex b = 0; b < 4; ++b)
    top = std::max(top, least.found.placement->places[b].offset + problem.buffers[b].size);
  EXPECT_EQ(top, 9);  // 3 + 6 and 4 + 5
  EXPECT_EQ(least.lower_bound, 9);
  EXPECT_EQ(least.lower_bounds, (std::vector<Size>{0, 0}));  // either may be the lower one
}

TEST(LeastHeight, LowersTheSmallerHeightsAsWell) {
  PlacementProblem problem;
  for (const char* name : {"a", "b", "c"})
    problem.memories.push_back({.name = name, .capacity = 64});
  problem.buffers.push_back({.id = "large", .live = {{0, 1}}, .size = 9, .memories = {0, 1}});
  for (int i = 0; i < 3; ++i)
    problem.buffers.push_back({.id = "x" + std::to_string(i), .live = {{i, i + 2}}, .size = 2 + i});
  HeightParams params;
  params.lower_bounds = {0, 0, 0};
  for (const char* engine : {"auto", "sat", "learning"}) {
    params.settings.engine = engine;
    const HeightResult least = least_height(problem, std::nullopt, params);
    ASSERT_EQ(least.found.status, Status::feasible);
    EXPECT_TRUE(least.proven);
    EXPECT_EQ(least.found.stop, StopReason::completed);
    EXPECT_EQ(least.lower_bound, 9);
    std::vector<Size> high = heights(problem, *least.found.placement);
    std::sort(high.begin(), high.end());
    EXPECT_EQ(high, (std::vector<Size>{0, 2, 9}));  // only x0 is live with large
  }
}

TEST(LeastHeight, CountsFromTheOrigins) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "a", .capacity = 24, .reserved = {{0, 3}}});
  problem.memories.push_back({.name = "b", .capacity = 24, .reserved = {{0, 10}}});
  for (int i = 0; i < 2; ++i)
    problem.buffers.push_back({.id = "x" + std::to_string(i), .live = {{0, 1}}, .size = 4});
  HeightParams params;
  params.lower_bounds = {0, 0};
  EXPECT_EQ(least_height(problem, std::nullopt, params).lower_bound, 11);  // both in memory a
  params.origins = {3, 10};
  const HeightResult least = least_height(problem, std::nullopt, params);
  EXPECT_TRUE(least.proven);
  EXPECT_EQ(least.lower_bound, 4);  // one in each memory
  EXPECT_EQ(heights(problem, *least.found.placement), (std::vector<Size>{7, 14}));
}

/// Number of rounds of stacking that found a lower height.
std::int64_t better_by_stacking(const HeightResult& least) {
  for (const Stat& stat : least.found.stats)
    if (stat.name == "boxing.better_by_stacking") return std::get<std::int64_t>(stat.value);
  return -1;
}

TEST(LeastHeight, BoxingGoesOnBelowTheCapacityAndKeepsItsSwitches) {
  PlacementProblem problem = generate({.kind = "packable", .buffers = 600, .seed = 3});
  problem.memories[0].capacity *= 4;
  HeightParams params;
  params.lower_bounds = {0};
  params.search.budget.max_nodes = 50 * 600;
  for (const char* engine : {"boxing", "auto"}) {
    params.settings.engine = engine;
    params.settings.engines = {};
    const HeightResult least = least_height(problem, std::nullopt, params);
    ASSERT_EQ(least.found.status, Status::feasible);
    EXPECT_LT(heights(problem, *least.found.placement)[0], problem.memories[0].capacity * 3 / 8);
    EXPECT_GT(better_by_stacking(least), 0) << engine;
    params.settings.engines.boxing.stacking = false;
    EXPECT_EQ(better_by_stacking(least_height(problem, std::nullopt, params)), 0) << engine;
  }
}

TEST(LeastHeight, TakesProblemsWithModes) {
  PlacementProblem problem;
  Memory memory;
  memory.name = "m";
  memory.capacity = 12;
  memory.banks = {{"b0", 4, {}}, {"b1", 4, {}}, {"b2", 4, {}}};
  memory.modes = {{"only", {Role::read, Role::hold, Role::write}}};
  problem.memories.push_back(memory);
  problem.buffers.push_back({.id = "in", .live = {{0, 1}}, .size = 2, .read = {0}});
  problem.buffers.push_back({.id = "out", .live = {{0, 1}}, .size = 3, .write = {0}});
  HeightParams params;
  params.lower_bounds = {5};
  const HeightResult least = least_height(problem, std::nullopt, params);
  ASSERT_EQ(least.found.status, Status::feasible);
  EXPECT_TRUE(least.proven);
  EXPECT_EQ(least.lower_bounds[0], 11);  // written in the last bank, from its first byte
}

/// A query about one memory places all memories again: heights reached elsewhere must stay.
TEST(LeastHeight, OneMemoryDoesNotUndoAnother) {
  for (const char* engine : {"sat", "smt", "learning"}) {
    if (!make_engine(engine)) continue;  // a build without Z3
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      testing::Random random(seed);
      PlacementProblem problem;
      for (const char* name : {"a", "b", "c"})
        problem.memories.push_back({.name = name, .capacity = 64});
      for (int i = 0; i < 12; ++i) {
        const auto begin = static_cast<Step>(random.below(6));
        problem.buffers.push_back(
            {.id = "x" + std::to_string(i),
             .live = {{begin, begin + 1 + static_cast<Step>(random.below(4))}},
             .size = 1 + static_cast<Size>(random.below(8)),
             .memories = {static_cast<MemoryIndex>(i % 3)}});
      }
      HeightParams params;
      params.lower_bounds = {0, 0, 0};
      const HeightResult want = least_height(problem, std::nullopt, params);
      params.settings.engine = engine;
      const HeightResult least = least_height(problem, std::nullopt, params);
      ASSERT_EQ(least.found.status, Status::feasible);
      EXPECT_TRUE(least.proven);
      EXPECT_EQ(heights(problem, *least.found.placement), heights(problem, *want.found.placement))
          << engine << ", seed " << seed;
      EXPECT_EQ(least.lower_bounds, want.lower_bounds) << engine << ", seed " << seed;
    }
  }
}

/// Five buffers, each in conflict with two others: they need three slots of a second memory.
void add_odd_memory(PlacementProblem& problem, Size slots) {
  for (Buffer& buffer : problem.buffers) buffer.memories = {0};
  problem.memories.push_back({.name = "odd", .capacity = slots});
  const BufferIndex first = problem.buffers.size();
  for (int i = 0; i < 5; ++i)
    problem.buffers.push_back(
        {.id = "odd" + std::to_string(i), .live = {{i, i + 1}}, .size = 1, .memories = {1}});
  for (BufferIndex i = 0; i < 5; ++i)
    problem.relations.push_back({RelationKind::disjoint, {first + i, first + (i + 1) % 5}, 0});
}

TEST(LeastHeight, AMemoryThatCannotHoldItsBuffersEndsTheSearch) {
  PlacementProblem problem;  // colouring a random graph, which takes long in any case
  problem.memories.push_back({.name = "hard", .capacity = 10});
  testing::Random random(5);
  for (BufferIndex b = 0; b < 60; ++b) {
    const auto step = static_cast<Step>(b);
    problem.buffers.push_back(
        {.id = "x" + std::to_string(b), .live = {{step, step + 1}}, .size = 1});
    for (BufferIndex other = 0; other < b; ++other)
      if (random.below(2) == 0)
        problem.relations.push_back({RelationKind::disjoint, {other, b}, 0});
  }
  add_odd_memory(problem, 2);
  HeightParams params;
  params.lower_bounds = {0, 0};
  params.search.budget.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  const HeightResult least = least_height(problem, std::nullopt, params);
  EXPECT_EQ(least.found.status, Status::infeasible);
}

TEST(LeastHeight, AHardMemoryLeavesTimeToTheOthers) {
  PlacementProblem problem = generate({.kind = "packable", .buffers = 400, .seed = 3});
  add_odd_memory(problem, 5);
  problem.memories[0].capacity += problem.memories[0].capacity / 4;
  HeightParams params;
  params.lower_bounds = {0, 0};
  HeightResult least;
  // The hard memory uses all of its time; slow builds and busy machines need more for a placement
  // and for the easy bound.
  const auto done = [&] {
    return least.found.status == Status::feasible && least.lower_bounds[1] == 3;
  };
  for (int seconds = 2; seconds <= 64 && !done(); seconds *= 2) {
    params.search.budget.deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    least = least_height(problem, std::nullopt, params);
  }
  ASSERT_EQ(least.found.status, Status::feasible);
  EXPECT_EQ(heights(problem, *least.found.placement)[1], 3);
  EXPECT_EQ(least.lower_bounds[1], 3);
}

}  // namespace
}  // namespace tessera::placer
