#include "planner/geometry_store.h"

#include <gtest/gtest.h>

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

// What is forgotten is found again: the plan is the same to the byte.
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
