// Parallel engines, independent of their order in the profile.
#include <gtest/gtest.h>

#include <string>

#include "io/hardware_yaml.h"
#include "io/network_yaml.h"
#include "tessera/check.h"
#include "tessera/plan.h"

namespace tessera::planner {
namespace {

/// The concatenation has no work in tiles of a convolution that writes in place.
constexpr std::string_view joined = R"(
tessera: network/1
name: joined
tensors: {x: {shape: [1, 8, 8, 8], dtype: int8}, y: {shape: [1, 16, 8, 8], dtype: int8}}
inputs: [x, y]
ops:
  - {name: c, type: conv, inputs: [x], output: t, weights: {shape: [16, 8, 1, 1], dtype: int8}}
  - {name: j, type: concat, inputs: [y, t], output: u, axes: [1]}
  - {name: r, type: relu, inputs: [u], output: z}
outputs: [z]
)";

Hardware machine(const std::string& first, const std::string& second) {
  return io::read_hardware_yaml(
      "tessera: hardware/1\nname: m\nclock: 1 GHz\nengines:\n" + first + second +
          "memories:\n  s: {capacity: 64 KiB}\n  d: {offchip: true, bandwidth: 64 B/cycle}\n"
          "tiling: {double_buffer: [true], weights: [resident], reduction: [1], one_copy: [none], "
          "stationary: [none], engines: side_by_side}\nobjective: {latency: 1}\n",
      "m.yaml");
}

TEST(SideBySide, AnOpThatDoesNothingInATileHasItsEngineAllTheSame) {
  const std::string mac =
      "  mac: {kind: mac_array, maps: {a: {ops: [conv], unroll: {C: 2}}, "
      "b: {ops: [elementwise], unroll: {K: 1}}}}\n";
  const std::string vec = "  vec: {kind: vector, lanes: 1}\n";
  const Network network = io::read_network_yaml(std::string(joined), "n.yaml").network;
  const NetworkPlan one = plan_network(network, machine(mac, vec), {});
  const NetworkPlan other = plan_network(network, machine(vec, mac), {});
  ASSERT_EQ(one.status, Status::feasible);
  EXPECT_EQ(one.totals.latency_cycles, other.totals.latency_cycles);
  EXPECT_GE(one.totals.latency_cycles, 4096 + 2048) << "what the array alone takes";
  NetworkPlan same = one;
  same.accounting = {};  // it is by engine, in the order of the profile
  EXPECT_TRUE(check_plan(network, machine(vec, mac), same).empty());
}

}  // namespace
}  // namespace tessera::planner
