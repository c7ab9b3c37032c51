#include "planner/geometry_store.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "planner/plan_memory.h"
#include "tessera/files.h"
#include "tessera/plan.h"
#include "tests/support/convolutions.h"
#include "tests/support/effort.h"
#include "tests/support/paths.h"

namespace tessera::planner {
namespace {

std::shared_ptr<RunGeometry> some_run() {
  return std::make_shared<RunGeometry>();
}

TEST(GeometryStore, WhatWasNotUsedForLongestGoesFirst) {
  GeometryStore store(2 * sizeof(RunGeometry));
  store.keep("a", some_run());
  store.keep("b", some_run());
  ASSERT_TRUE(store.find("a"));
  store.keep("c", some_run());
  EXPECT_TRUE(store.find("a"));
  EXPECT_FALSE(store.find("b"));
  EXPECT_TRUE(store.find("c"));
  store.clear();
  EXPECT_FALSE(store.find("a"));
}

TEST(GeometryStore, TheLastOneStaysHoweverLarge) {
  GeometryStore store(0);
  const auto run = some_run();
  store.keep("a", run);
  EXPECT_EQ(store.find("a"), run);
  store.keep("b", some_run());
  EXPECT_FALSE(store.find("a"));
}

TEST(GeometryStore, OfTwoThatAreTheSameTheFirstIsKept) {
  GeometryStore store(sizeof(RunGeometry));
  const auto first = some_run();
  store.keep("a", first);
  store.keep("a", some_run());
  EXPECT_EQ(store.find("a"), first);
}

// The cuts are computed once for any number of threads.
TEST(GeometryStore, TwinsAreCutAsTheRunIs) {
  RunGeometry run;
  run.network = std::make_shared<const Network>(
      testing::convolutions(2, {.channels = 8, .rows = 8, .columns = 8}));
  run.part = tiling::make_subgraph(*run.network, {0, 1});
  const auto cuts = run.cuts();
  ASSERT_TRUE(cuts);
  EXPECT_EQ(cuts->whole.extent, (std::array<Dim, tiling::tile_axes>{8, 8, 8}));
  EXPECT_EQ(run.thread_copy(0).cuts(), cuts);
  for (const HaloPolicy halo : {HaloPolicy::recompute, HaloPolicy::keep}) {
    EXPECT_EQ(&run.with(halo).space(), cuts.get());
    EXPECT_EQ(&run.thread_copy(0).with(halo).space(), cuts.get());
  }
}

// Evicted entries are recomputed: the plan is identical.
TEST(GeometryStore, ForgettingChangesNoPlan) {
  const Network network =
      testing::convolutions(testing::quick ? 5 : 2, {.channels = 32, .rows = 28, .columns = 28});
  const Hardware machine =
      load_profile(testing::source_path("hw_profiles/ethos-u65-256.yaml").string());
  const auto plan_with = [&](std::size_t most_geometry) {
    PlanParams params;
    params.memory = std::make_shared<PlanMemory>(most_geometry);
    NetworkPlan plan = plan_network(network, machine, params);
    plan.search.seconds = 0;
    return plan_json(plan);
  };
  EXPECT_EQ(plan_with(0), plan_with(std::size_t{1} << 30));
}

}  // namespace
}  // namespace tessera::planner
