// Machines without off-chip writes: tensors stay on chip until they are read, and a plan needs one
// placement for all of them.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "io/network_yaml.h"
#include "tessera/files.h"
#include "tessera/plan.h"
#include "tests/support/effort.h"

namespace tessera::planner {
namespace {

/// Inverted residual blocks; one or two of their tensors fit into 512 KiB as a whole.
Network blocks(int count) {
  std::string text =
      "tessera: network/1\nname: blocks\ninputs: [x]\n"
      "tensors: {x: {shape: [1, 16, 112, 112], dtype: int8}}\nops:\n";
  std::string now = "x";
  for (int k = 0; k < count; ++k) {
    const std::string begin = now;
    const std::string wide = std::to_string(48 + 8 * (k % 5));
    const auto conv = [&](const std::string& step, const std::string& more,
                          const std::string& shape) {
      const std::string name = "b" + std::to_string(k) + step;
      text += "  - {name: " + name + ", type: conv, inputs: [" + now + "], output: t" + name +
              more + ", weights: {shape: [" + shape + "], dtype: int8}}\n";
      now = "t" + name;
    };
    conv("_wide", "", wide + ", 16, 1, 1");
    conv("_deep", ", groups: " + wide + ", pad: [1, 1, 1, 1]", wide + ", 1, 3, 3");
    conv("_thin", "", "16, " + wide + ", 1, 1");
    const std::string sum = "b" + std::to_string(k) + "_sum";
    text += "  - {name: " + sum + ", type: add, inputs: [" + now + ", " + begin + "], output: t" +
            sum + "}\n";
    now = "t" + sum;
  }
  text += "outputs: [" + now + "]\n";
  return io::read_network_yaml(text, "blocks.yaml").network;
}

PlanParams for_latency() {
  return {.weights = {{"latency", 1}, {"energy", 0}, {"dram_bytes", 0}, {"peak_memory", 0}}};
}

// Next to resident tensors, long groups have no placement, or one that takes long to find. Short
// groups are fast.
TEST(MustStay, ALimitLeavesAPlan) {
  const Network network = blocks(10);
  const Hardware hardware = load_profile("ethos-u55-256");
  PlanParams params = for_latency();
  params.limits.timeout = std::chrono::milliseconds(static_cast<int>(2000 * testing::slowness));
  const NetworkPlan plan = plan_network(network, hardware, params);
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_EQ(check_plan(network, hardware, plan), std::vector<std::string>{});
  EXPECT_LE(plan.bound, plan.score);
}

// With the fewest tiles long groups are best here, with other tiles short ones.
TEST(MustStay, LongerRunsAreNoReasonForAWorsePlan) {
  if (!testing::quick) GTEST_SKIP() << "takes long in a build that is not made to be fast";
  const Network network = blocks(10);
  const Hardware hardware = load_profile("ethos-u55-256");
  PlanParams params = for_latency();
  params.proof_shapes = 0;
  const NetworkPlan plan = plan_network(network, hardware, params);
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  params.max_ops = 4;
  const NetworkPlan shorter = plan_network(network, hardware, params);
  ASSERT_EQ(shorter.status, Status::feasible) << shorter.reason;
  EXPECT_LE(plan.score, shorter.score);
}

}  // namespace
}  // namespace tessera::planner
