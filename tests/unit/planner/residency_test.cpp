// Resident tensors in combination with other options.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "cost/group_bound.h"
#include "cost/score.h"
#include "io/hardware_yaml.h"
#include "io/network_yaml.h"
#include "planner/cover_bound.h"
#include "tessera/check.h"
#include "tessera/files.h"
#include "tessera/plan.h"

namespace tessera::planner {
namespace {

constexpr std::string_view network_text = R"(
tessera: network/1
name: few
tensors: {x: {shape: [1, 4, 8, 19], dtype: int16}}
inputs: [x]
ops:
  - {name: op0, type: conv, inputs: [x], output: t0, weights: {shape: [4, 4, 1, 1], dtype: int16}}
  - {name: op1, type: mul, inputs: [t0, x], output: t1}
  - {name: op2, type: conv, inputs: [t1], output: t2, pad: [1, 0, 0, 1], weights: {shape: [4, 4, 3, 3], dtype: int16}}
  - {name: op3, type: conv, inputs: [t2], output: t3, dilation: [2, 2], pad: [0, 0, 0, 1], weights: {shape: [6, 4, 1, 5], dtype: int16}}
  - {name: op4, type: conv, inputs: [t2], output: t4, stride: [2, 2], weights: {shape: [6, 4, 1, 1], dtype: int16}}
  - {name: op5, type: conv, inputs: [t4], output: t5, pad: [1, 0, 1, 0], groups: 6, weights: {shape: [6, 1, 2, 2], dtype: int16}}
outputs: [t3, t5]
)";

constexpr std::string_view machine_text = R"(
tessera: hardware/1
name: three-modes
clock: 1 GHz
engines:
  mac: {kind: mac_array, fill: 7, energy: 1 pJ, dtype: int8, dtype_factor: {int16: 2}, unroll: {G: 3, H: 8}}
  vec: {kind: vector, lanes: 4, startup: 32, cycles_per_vector: {default: 0.75}, energy: 0.1 pJ}
memories:
  sram:
    alignment: 8
    energy: {read: 1.2 pJ/B, write: 1.4 pJ/B}
    banks: 4
    bank_size: 1024
    modes:
      - {name: a, roles: [read, read, write, weight]}
      - {name: b, roles: [write, read, read, weight]}
      - {name: c, roles: [read, write, read_write, weight]}
  dram: {offchip: true, bandwidth: 0.3 GB/s, burst: 1 B, latency: 30, energy: {read: 64 pJ/B, write: 80.5 pJ/B}}
dma: {outstanding: 8, setup: 40}
tiling: {double_buffer: [false], weights: [resident], halo: [recompute]}
objective: {latency: 0.5, energy: 0.3, dram_bytes: 0.2}
mode_switch: {cycles: 3, energy: 500 pJ}
)";

// Fewer modes mean fewer switches here, and a score below the bound on partitions.
TEST(ResidencyTest, FewerModesMayScoreLessThanTheBoundOfCovers) {
  const Network network = io::read_network_yaml(network_text, "few.yaml").network;
  const Hardware hardware = io::read_hardware_yaml(machine_text, "three-modes.yaml", {});
  PlanParams params{.max_ops = 2};
  const NetworkPlan plain = plan_network(network, hardware, params);
  ASSERT_EQ(plain.status, Status::feasible) << plain.reason;
  EXPECT_TRUE(std::ranges::any_of(plain.subgraphs, [](const auto& s) { return !s.kept.empty(); }));
  params.fewest_modes = true;
  const NetworkPlan plan = plan_network(network, hardware, params);
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_LT(plan.score, plain.score);
  EXPECT_LE(plan.bound, plan.score);
}

constexpr std::string_view reader_text = R"(
tessera: network/1
name: chain
tensors: {x: {shape: [1, 64, 16, 16], dtype: int8}}
inputs: [x]
ops:
  - {name: a, type: conv, inputs: [x], output: ya, weights: {shape: [64, 64, 1, 1], dtype: int8}}
  - {name: b, type: conv, inputs: [ya], output: yb, weights: {shape: [64, 64, 1, 1], dtype: int8}}
  - {name: c, type: add, inputs: [yb, ya], output: yc}
outputs: [yc]
)";

constexpr std::string_view two_memories_text = R"(
tessera: hardware/1
name: two-memories
clock: 1 GHz
engines:
  mac:
    kind: mac_array
    unroll: {C: 8, K: 8}
    energy: 1 pJ
    memories: {input: [operands], weights: [operands], output: [results]}
  vec: {kind: vector, lanes: 8, energy: 0.1 pJ, memories: [results]}
memories:
  operands: {capacity: 16 KiB, energy: {read: 1 pJ/B, write: 1 pJ/B}}
  results: {capacity: 48 KiB, energy: {read: 1 pJ/B, write: 1 pJ/B}}
  dram: {offchip: true, bandwidth: 1 GB/s, burst: 1 B, latency: 30, energy: {read: 64 pJ/B, write: 64 pJ/B}}
dma: {outstanding: 8}
objective: {latency: 0.5, energy: 0.3, dram_bytes: 0.2}
)";

// The array does not access the memory of its output: the tensor stays there, and tiles copy what
// they need.
TEST(ResidencyTest, WhatStaysLiesWhereItWasMade) {
  const Network network = io::read_network_yaml(reader_text, "chain.yaml").network;
  const Hardware hardware = io::read_hardware_yaml(two_memories_text, "two-memories.yaml", {});
  const NetworkPlan plan = plan_network(network, hardware, {.max_ops = 1});
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  ASSERT_EQ(plan.subgraphs.size(), 3U);
  const Size tensor = 64 * 16 * 16;
  const Size weights = 64 * 64;
  EXPECT_LE(plan.totals.dram_bytes, 2 * tensor + 2 * weights + 2 * tensor);
  const PlannedSubgraph& reader = plan.subgraphs[1];
  ASSERT_TRUE(std::ranges::find(reader.kept, "ya") != reader.kept.end());
  const PlannedPlacement& placed = reader.placements.front();
  const auto memory_of = [&](std::string_view id) {
    const auto at = std::ranges::find(placed.problem.buffers, id, &Buffer::id);
    const auto b = static_cast<std::size_t>(at - placed.problem.buffers.begin());
    return placed.problem.memories.at(placed.placement.places.at(b).memory).name;
  };
  EXPECT_EQ(memory_of("ya"), "results");
  EXPECT_EQ(memory_of("ya.copy1"), "operands");
  EXPECT_TRUE(check_plan(network, hardware, plan).empty());
}

// t0 and t1 take 1216 bytes each, t2 and t4 less; t2 is live until op4.
TEST(ResidencyTest, BoundsKnowTheRoomThatWhatStaysShares) {
  const Network network = io::read_network_yaml(network_text, "few.yaml").network;
  const Hardware hardware = io::read_hardware_yaml(machine_text, "three-modes.yaml", {});
  const cost::Score score{.weights = {.dram_bytes = 1}, .reference = {.dram_bytes = 1}};
  const CoverBoundParams params{.score = score, .max_ops = 1};
  const double stored = bound_of_covers(network, hardware, {}, params);
  const double moved_for_nothing =
      bound_of_covers(network, hardware, cost::possible_residents(network), params);
  ASSERT_LT(moved_for_nothing, stored);
  EXPECT_NEAR(bound_whatever_stays(network, hardware, 0, params), stored, 1e-6 * stored);
  double before = stored * (1 + 1e-6);
  for (const Size room : {700, 1216, 2500}) {
    const double bound = bound_whatever_stays(network, hardware, room, params);
    EXPECT_LT(bound, before) << room;
    EXPECT_GE(bound, moved_for_nothing * (1 - 1e-6)) << room;
    before = bound;
  }
  EXPECT_NEAR(before, moved_for_nothing, 1e-6 * moved_for_nothing);
  // If peaks cost as much as transfers, a resident tensor costs at least its size.
  const cost::Score peaks{.weights = {.dram_bytes = 0.5, .peak_memory = 0.5},
                          .reference = {.dram_bytes = 1, .peak_bytes = 1}};
  EXPECT_GT(bound_whatever_stays(network, hardware, 2500, {.score = peaks, .max_ops = 1}),
            moved_for_nothing / 2);
}

}  // namespace
}  // namespace tessera::planner
