// Threads change nothing but the time: a plan is the same to the byte, with all its counts.
#include <gtest/gtest.h>

#include <string>

#include "tessera/files.h"
#include "tessera/import.h"
#include "tessera/plan.h"
#include "tests/support/convolutions.h"
#include "tests/support/effort.h"
#include "tests/support/paths.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"

namespace tessera::planner {
namespace {

std::string plan_with(const Network& network, const Hardware& hardware, PlanParams params,
                      int threads) {
  params.limits.threads = threads;
  NetworkPlan plan = plan_network(network, hardware, params);
  plan.search.seconds = 0;
  return plan_json(plan);
}

void expect_same(const Network& network, const Hardware& hardware, const PlanParams& params = {},
                 int most = 3) {
  const std::string alone = plan_with(network, hardware, params, 1);
  for (int threads = 2; threads <= most; ++threads)
    ASSERT_EQ(plan_with(network, hardware, params, threads), alone) << threads << " threads";
}

Hardware profile(const std::string& name) {
  return load_profile(testing::source_path("hw_profiles/" + name + ".yaml").string());
}

TEST(PlanThreads, ChangeNoPlanOfRandomNetworks) {
  const std::uint64_t cases = testing::quick ? 12 : 3;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    SCOPED_TRACE(seed);
    testing::Random random(seed ^ 0x7e4d);
    const Network network =
        testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(3, 9)),
                                       .extent = 8,
                                       .channels = 4,
                                       .spatial_only = random.chance(60)});
    Hardware hardware = testing::random_machine(
        random, {.needed = testing::bytes_of(network), .most_percent = 60, .banks = true});
    hardware.objective = {.latency = 0.4, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0.1};
    if (random.chance(30)) hardware.objective = {.latency = 0.5, .energy = 0.3, .dram_bytes = 0.2};
    PlanParams params{.proof_shapes = 500};
    if (random.chance(30)) params.max_ops = static_cast<std::size_t>(random.between(2, 5));
    if (random.chance(20)) params.nodes_per_question = random.between(1, 50);
    expect_same(network, hardware, params);
    if (HasFatalFailure()) return;
  }
}

TEST(PlanThreads, ChangeNoPlanOnShippedMachines) {
  const Dim extent = testing::quick ? 56 : 28;
  const Network network = testing::convolutions(
      testing::quick ? 4 : 2, {.channels = 32, .rows = extent, .columns = extent});
  for (const char* name :
       {"ethos-u65-like", "ethos-u55-128", "nvdla-like", "gap9-like", "eyeriss-like"}) {
    SCOPED_TRACE(name);
    expect_same(network, profile(name), {.proof_shapes = 500}, 2);
  }
}

TEST(PlanThreads, ChangeNoPlanOfRealNetworks) {
  if (!testing::quick) GTEST_SKIP() << "takes minutes in a slow build";
  TESSERA_NEED_SHARED("models/resnet18.onnx");
  const std::string path = testing::shared_path("models/resnet18.onnx").string();
  const Network network = read_network(path, {}).network;
  expect_same(network, profile("ethos-u65-like"), {.tile_shapes = 8}, 2);
}

}  // namespace
}  // namespace tessera::planner
