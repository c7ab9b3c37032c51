// Pinned weights: their gain to the byte and the cycle, lack of space, and their representation in
// files.
#include "planner/pinned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tessera/check.h"
#include "tessera/files.h"
#include "tessera/pinnable.h"
#include "tessera/plan.h"
#include "tests/support/small_chain.h"

namespace tessera::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using testing::small_chain;

Hardware pinning_machine(int capacity, tessera::Pinned pinned = tessera::Pinned::weights) {
  Hardware hardware = testing::small_machine(capacity);
  hardware.memories.front().space.alignment = 32;
  hardware.tiling.pinned = pinned;
  return hardware;
}

NetworkPlan planned(const Hardware& hardware) {
  return plan_network(small_chain(), hardware, {.max_ops = 1});
}

TEST(Pinned, NothingOfThemIsMoved) {
  const NetworkPlan fetched = planned(pinning_machine(4096, tessera::Pinned::none));
  const Hardware hardware = pinning_machine(4096);
  const NetworkPlan plan = planned(hardware);
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  const std::string a = plan.pinned.at(0).weight;
  EXPECT_THAT(plan.pinned, ElementsAre(PlannedPin{a, "sram", 0, 64},
                                       PlannedPin{plan.pinned.at(1).weight, "sram", 64, 64},
                                       PlannedPin{plan.pinned.at(2).weight, "sram", 128, 64}));
  EXPECT_EQ(fetched.totals.dram_bytes - plan.totals.dram_bytes, 3 * 64);
  EXPECT_GT(fetched.totals.latency_cycles, plan.totals.latency_cycles);
  EXPECT_EQ(plan.baseline, fetched.baseline);
  EXPECT_EQ(plan.reference.totals, fetched.reference.totals);
  EXPECT_LE(plan.bound, plan.score);
  EXPECT_EQ(plan.scope.pins, PlanScope::Pins::any);
  for (const PlannedSubgraph& run : plan.subgraphs) {
    const PlannedPlacement& placed = run.placements.front();
    for (const BufferPlace& place : placed.placement.places) EXPECT_GE(place.offset, 192);
    EXPECT_GE(run.metrics.peak_bytes, 192);
  }
  const std::string header = plan_c_header(plan, "net");
  EXPECT_THAT(header, HasSubstr("#define NET_PINNED 3"));
  EXPECT_THAT(header, HasSubstr("{\"" + a + "\", NET_SRAM, 0u, 64u}"));
}

TEST(Pinned, NothingIsWhereThereIsNoRoom) {
  // Input, output and weights of an op.
  const NetworkPlan plan = planned(pinning_machine(2 * 128 + 64));
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_THAT(plan.pinned, IsEmpty());
}

TEST(Pinned, RoomForAllIsToldWhereTheProfilePinsNone) {
  const auto told = [](const Hardware& hardware) {
    return pinnable_weights(small_chain(), hardware, planned(hardware));
  };
  EXPECT_EQ(told(pinning_machine(4096, tessera::Pinned::none)), (PinnableWeights{"sram", 3 * 64}));
  EXPECT_EQ(told(pinning_machine(4096)), std::nullopt);
  EXPECT_EQ(told(pinning_machine(2 * 128 + 64, tessera::Pinned::none)), std::nullopt);
}

TEST(Pinned, LayerByLayerNothingIs) {
  const NetworkPlan plan =
      plan_network(small_chain(), pinning_machine(4096), {.max_ops = 1, .tile_shapes = 0});
  EXPECT_THAT(plan.pinned, IsEmpty());
}

TEST(Pinned, WhatCannotBeIsRefused) {
  const Hardware hardware = pinning_machine(4096);
  const NetworkPlan good = planned(hardware);
  const auto expect_refused = [&](const NetworkPlan& plan, const std::string& sentence) {
    const std::vector<std::string> wrong = check_plan(small_chain(), hardware, plan);
    ASSERT_FALSE(wrong.empty());
    EXPECT_THAT(wrong.front(), HasSubstr(sentence));
  };
  NetworkPlan plan = good;
  plan.pinned[1].offset = 32;
  expect_refused(plan, "has two weights at 32 of 'sram'");
  plan.pinned[1].offset = 65;
  expect_refused(plan, "is not aligned");
  plan.pinned[1].offset = 4064;
  expect_refused(plan, "not inside the memory");
  plan = good;
  plan.pinned[0].weight = "t";
  expect_refused(plan, "which is not a weight whose readers reach that memory");
  plan = good;
  plan.pinned[0].memory = "dram";
  expect_refused(plan, "pinned weights are stored in 'sram'");
  plan = good;
  plan.pinned[0].bytes = 32;
  expect_refused(plan, "takes 32 bytes, which are 64");
  plan = good;
  plan.pinned.push_back(plan.pinned[0]);
  expect_refused(plan, "twice");
  plan = good;
  plan.subgraphs[0].placements[0].placement.places[0].offset = 0;
  expect_refused(plan, "touches the reserved range [0, 192). The range holds pinned weights: '" +
                           good.pinned[0].weight + "'");
  // A profile that does not pin.
  const std::vector<std::string> wrong =
      check_plan(small_chain(), pinning_machine(4096, tessera::Pinned::none), good);
  ASSERT_FALSE(wrong.empty());
  EXPECT_THAT(wrong.front(), HasSubstr("does not allow"));
}

/// Callers of the planner cannot set addresses.
TEST(Pinned, CallersDoNotPin) {
  Network network = small_chain();
  for (Tensor& tensor : network.tensors)
    if (tensor.kind == TensorKind::weight) tensor.pinned = 0;
  EXPECT_THROW(static_cast<void>(plan_network(network, pinning_machine(4096), {})), BadInput);
}

}  // namespace
}  // namespace tessera::planner
