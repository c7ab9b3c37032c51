#include "tessera/place.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tessera/check.h"
#include "tessera/check_result.h"
#include "tessera/engines.h"
#include "tessera/files.h"
#include "tessera/generate.h"
#include "tests/support/paths.h"
#include "tests/support/random.h"

namespace tessera::placer {
namespace {

using testing::source_path;

PlacementProblem example(const std::string& name, std::optional<Size> capacity = std::nullopt) {
  InputOptions options;
  options.capacity = capacity;
  return load_input(source_path("examples/" + name).string(), options).problem;
}

TEST(Place, SaysFeasibleOnlyWithACheckedPlacement) {
  const PlacementProblem problem = example("residual-block.csv", 153600);
  const PlacementResult result = place(problem, {});
  ASSERT_EQ(result.status, Status::feasible);
  EXPECT_TRUE(check(problem, *result.placement).empty());
  EXPECT_EQ(result.height, 152832);
  EXPECT_EQ(result.lower_bound, 152832);
  EXPECT_TRUE(result.proven_minimum);  // the bound equals it
}

TEST(Place, TheLoadAloneMayProveInfeasible) {
  const PlacementResult result = place(example("residual-block.csv", 100000), {});
  EXPECT_EQ(result.status, Status::infeasible);
  EXPECT_EQ(result.engine, "bounds");
  EXPECT_FALSE(result.reason.empty());
}

TEST(Place, EveryCompleteEngineRefutesWhatTheLoadAllows) {
  for (const EngineInfo& entry : engine_list()) {
    if (!entry.complete) continue;
    PlaceParams params;
    params.engine = entry.name;
    EXPECT_EQ(place(example("too-tight.yaml"), params).status, Status::infeasible) << entry.name;
    EXPECT_EQ(place(example("too-tight.yaml", 8), params).status, Status::feasible) << entry.name;
  }
}

TEST(Place, AHeuristicEngineNeverSaysInfeasible) {
  for (const EngineInfo& entry : engine_list()) {
    if (entry.complete || entry.name == "guided") continue;
    PlaceParams params;
    params.engine = entry.name;
    params.limits.timeout = std::chrono::milliseconds(500);
    EXPECT_EQ(place(example("too-tight.yaml"), params).status, Status::unknown) << entry.name;
  }
}

// The guided search may end without a result, and reports "infeasible" if its solver proves it.
TEST(Place, TheGuidedSearchIsNeverWrong) {
  PlaceParams params;
  params.engine = "guided";
  params.limits.timeout = std::chrono::milliseconds(500);
  EXPECT_NE(place(example("too-tight.yaml"), params).status, Status::feasible);
  EXPECT_EQ(place(example("too-tight.yaml", 8), params).status, Status::feasible);
}

TEST(Place, MinimisesTheHeightWithAProof) {
  PlaceParams params;
  params.minimize = Objective::height;
  for (const int threads : {1, 2}) {
    params.limits.threads = threads;
    const PlacementResult result = place(example("too-tight.yaml", 100), params);
    ASSERT_EQ(result.status, Status::feasible);
    EXPECT_EQ(result.height, 8);
    EXPECT_EQ(result.lower_bound, 8);
    EXPECT_TRUE(result.proven_minimum);
  }
}

TEST(Place, AProvedMinimumHasACertificateOfTheHeightBelow) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "below.proof";
  std::filesystem::remove(file);
  PlaceParams params;
  params.minimize = Objective::height;
  params.proof = file;
  static_cast<void>(place(example("too-tight.yaml", 100), params));
  ASSERT_TRUE(std::filesystem::exists(file));
  const std::string text = load_certificate(file.string()).text;
  const CertificateVerdict verdict = check_certificate(example("too-tight.yaml", 100), text);
  ASSERT_TRUE(verdict.accepted) << verdict.reason;
  ASSERT_EQ(verdict.claims.size(), 1U);
  EXPECT_EQ(verdict.claims[0].claim, (Claim{ClaimKind::height, {0}, 8}));
  EXPECT_TRUE(verdict.about_this);
  EXPECT_FALSE(check_certificate(example("too-tight.yaml", 200), text).about_this);
  std::filesystem::remove(file);
}

// Two buffers share one offset, and an order puts one above the other: without a capacity their
// bounds would grow forever.
TEST(Place, WhatHasToBeAboveItselfIsRefutedWithoutACapacity) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "cycle.proof";
  std::filesystem::remove(file);
  const PlacementProblem problem =
      load_input(
          source_path("tests/regress/instances/one-place-for-two-without-a-capacity.yaml").string(),
          {})
          .problem;
  PlaceParams params;
  params.engine = "learning";
  params.minimize = Objective::cost;
  params.proof = file;
  params.limits.timeout = std::chrono::seconds(60);
  params.limits.memory = Size{1} << 30U;
  const PlacementResult result = place(problem, params);
  EXPECT_EQ(result.cost, 9);
  EXPECT_TRUE(result.proven_optimal);
  ASSERT_TRUE(std::filesystem::exists(file));
  EXPECT_TRUE(check_certificate(problem, load_certificate(file.string()).text).accepted);
  std::filesystem::remove(file);
}

TEST(Place, CountsModesAndProvesTheFewest) {
  PlaceParams params;
  params.minimize = Objective::modes;
  const PlacementResult result = place(example("patent-three-banks.yaml"), params);
  ASSERT_EQ(result.status, Status::feasible);
  EXPECT_TRUE(result.proven_optimal);
  EXPECT_TRUE(unused_modes(example("patent-three-banks.yaml"), *result.placement)[0].empty());
}

TEST(Place, PaysNoMoreThanItMust) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 9});
  for (int i = 0; i < 3; ++i)
    problem.buffers.push_back(
        {.id = "x" + std::to_string(i), .live = {{i, i + 1}}, .size = 4, .memories = {}});
  problem.relations.push_back({RelationKind::avoid_overlap, {0, 1}, 5});
  problem.relations.push_back({RelationKind::avoid_overlap, {1, 2}, 3});
  problem.relations.push_back({RelationKind::avoid_overlap, {0, 2}, 2});
  PlaceParams params;
  params.minimize = std::nullopt;
  const PlacementResult result = place(problem, params);
  ASSERT_EQ(result.status, Status::feasible);
  EXPECT_EQ(result.cost, 2);
  EXPECT_EQ(result.cost_bound, 2);
  EXPECT_TRUE(result.proven_optimal);
}

/// Twelve buffers in two slots of one memory, twelve in three of another: 2 x 15 pairs and 3 x 6.
TEST(Place, CostsOfMemoriesAddUp) {
  PlacementProblem problem;
  problem.memories = {{.name = "left", .capacity = 20}, {.name = "right", .capacity = 15}};
  for (BufferIndex b = 0; b < 24; ++b) {
    const auto step = static_cast<Step>(b);
    const MemoryIndex memory = b % 2;
    problem.buffers.push_back({.id = "b" + std::to_string(b),
                               .live = {{step, step + 1}},
                               .size = memory == 0 ? 10 : 5,
                               .memories = {memory}});
    for (BufferIndex other = memory; other < b; other += 2)
      problem.relations.push_back({RelationKind::avoid_overlap, {other, b}, 1});
  }
  const PlacementResult result = place(problem, {.minimize = Objective::cost});
  ASSERT_EQ(result.status, Status::feasible);
  EXPECT_EQ(result.cost, 48);
  EXPECT_EQ(result.cost_bound, 48);
  EXPECT_TRUE(result.proven_optimal);
  EXPECT_EQ(result.engine, "slots");
}

TEST(Place, TheSameSeedGivesTheSamePlacement) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const PlacementProblem problem =
        generate({.kind = "packable", .buffers = 30, .seed = seed, .capacity = 4096});
    std::optional<std::vector<BufferPlace>> first;
    for (const int threads : {1, 2, 2}) {
      PlaceParams params;
      params.limits.threads = threads;
      params.limits.seed = seed;
      const PlacementResult result = place(problem, params);
      ASSERT_EQ(result.status, Status::feasible) << seed;
      if (!first) first = result.placement->places;
      EXPECT_EQ(*first, result.placement->places) << "seed " << seed << ", threads " << threads;
    }
  }
}

TEST(Place, ATimeLimitIsNotANo) {
  const PlacementProblem problem =
      generate({.kind = "packable", .buffers = 400, .seed = 11, .capacity = 1 << 20});
  PlaceParams params;
  params.limits.timeout = std::chrono::milliseconds(50);
  const PlacementResult result = place(problem, params);
  EXPECT_NE(result.status, Status::infeasible);
  if (result.status == Status::unknown) {
    EXPECT_EQ(result.stop, StopReason::time_limit);
  }
  EXPECT_LT(result.seconds, 10);
}

TEST(Place, AStopRequestEndsIt) {
  const PlacementProblem problem =
      generate({.kind = "packable", .buffers = 400, .seed = 11, .capacity = 1 << 20});
  std::stop_source source;
  source.request_stop();
  PlaceParams params;
  params.limits.stop = source.get_token();
  const PlacementResult result = place(problem, params);
  EXPECT_NE(result.status, Status::infeasible);
}

TEST(Place, RefusesWhatItCannotTake) {
  PlaceParams params;
  params.engine = "no-such-engine";
  EXPECT_THROW(static_cast<void>(place(example("too-tight.yaml"), params)), BadInput);
  params.engine = "canonical";
  EXPECT_THROW(static_cast<void>(place(example("patent-three-banks.yaml"), params)), BadInput);
  PlacementProblem wrong = example("too-tight.yaml");
  wrong.buffers[0].size = 0;
  EXPECT_THROW(static_cast<void>(place(wrong, {})), BadInput);
}

TEST(Place, AGapEndsTheSearch) {
  // Bins of 100 bytes: the bound counts bytes and no search closes the gap in this many nodes.
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 2400, .straddle = false});
  testing::Random random(5);
  for (int k = 0; k < 24; ++k) {
    problem.memories[0].banks.push_back({"b" + std::to_string(k), 100, {}});
    problem.buffers.push_back(
        {.id = "x" + std::to_string(k), .live = {{0, 1}}, .size = random.between(20, 60)});
  }
  PlaceParams params{.minimize = Objective::height};
  params.limits.work = 20'000;
  params.limits.threads = 1;
  const PlacementResult all = place(problem, params);
  ASSERT_EQ(all.stop, StopReason::node_limit);
  ASSERT_LT(all.lower_bound, all.height);
  const double gap = 1 - static_cast<double>(all.lower_bound) / static_cast<double>(all.height);
  params.gap = gap + 1e-9;
  const PlacementResult near = place(problem, params);
  EXPECT_EQ(near.status, Status::feasible);
  EXPECT_EQ(near.stop, StopReason::completed);
  EXPECT_LE(static_cast<double>(near.height) * (1 - params.gap),
            static_cast<double>(near.lower_bound));
  EXPECT_FALSE(near.proven_minimum);
  params.gap = gap / 2;
  EXPECT_EQ(place(problem, params).stop, StopReason::node_limit);
}

TEST(Place, AGapIsAShareOfAHeight) {
  const PlacementProblem problem = example("residual-block.csv", 153600);
  for (const double gap : {-0.1, 1.0})
    EXPECT_THROW(static_cast<void>(place(problem, {.minimize = Objective::height, .gap = gap})),
                 BadInput);
  EXPECT_THROW(static_cast<void>(place(problem, {.minimize = Objective::fit, .gap = 0.1})),
               BadInput);
}

TEST(CheckResult, ComparesWhatTheResultSaysOfItself) {
  const PlacementProblem problem = example("patent-four-blobs.yaml");
  PlacementResult result = place(problem, {});
  EXPECT_TRUE(check_result(problem, result).wrong.empty());
  result.height = 9;
  EXPECT_EQ(check_result(problem, result).wrong.size(), 1U);
}

}  // namespace
}  // namespace tessera::placer
