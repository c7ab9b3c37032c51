// What stays on the chip, together with all that may be asked for besides.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "io/hardware_yaml.h"
#include "io/network_yaml.h"
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

// Fewer modes mean fewer switches here, and a score below what was proved of covers.
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

}  // namespace
}  // namespace tessera::planner
