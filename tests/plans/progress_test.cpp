// The progress of a plan agrees with the plan obtained by stopping there.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <stop_token>
#include <string_view>
#include <vector>

#include "io/network_yaml.h"
#include "tessera/plan.h"
#include "tessera/profile.h"
#include "tests/support/effort.h"
#include "tests/support/paths.h"
#include "tests/support/random_network.h"

namespace tessera::planner {
namespace {

Hardware machine() {
  Profile profile("ethos-u65-256", {testing::source_path("hw_profiles").string()});
  profile.set("memories.sram.capacity", "8 KiB");
  return profile.hardware();
}

TEST(PlanProgressTest, IsWhatThePlanWouldBe) {
  const Hardware hardware = machine();
  const std::size_t ops = testing::quick ? 14 : 6;
  int stopped = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const Network network =
        testing::random_network(seed, {.ops = ops, .extent = 40, .channels = 32});
    std::vector<PlanProgress> told;
    PlanParams params{.proof_shapes = 0};
    params.progress = [&](const PlanProgress& p) { told.push_back(p); };
    const NetworkPlan whole = plan_network(network, hardware, params);
    ASSERT_EQ(whole.status, Status::feasible) << whole.reason;
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.back().best_score, whole.score);
    EXPECT_EQ(told.back().bound, whole.bound);
    for (std::size_t k = 1; k < told.size(); ++k)
      EXPECT_LE(told[k].best_score, told[k - 1].best_score * (1 + 1e-9));
    // With two threads, another group may become cheaper during the progress report.
    for (std::size_t at = 0; at < std::min<std::size_t>(told.size(), 6); ++at) {
      const int threads = at % 2 == 0 ? 1 : 2;
      std::stop_source stop;
      std::size_t calls = 0;
      double shown = 0;
      PlanParams until{.proof_shapes = 0};
      until.limits.threads = threads;
      until.limits.stop = stop.get_token();
      until.progress = [&](const PlanProgress& p) {
        if (stop.stop_requested()) return;
        shown = p.best_score;
        if (calls++ == at) stop.request_stop();
      };
      const NetworkPlan plan = plan_network(network, hardware, until);
      if (!stop.stop_requested() || shown == std::numeric_limits<double>::infinity()) continue;
      ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
      EXPECT_LE(plan.score, shown * (1 + 1e-9));
      if (threads > 1) continue;
      ++stopped;
      EXPECT_GE(plan.score, shown * (1 - 1e-9));
    }
  }
  EXPECT_GT(stopped, 0);
}

// The last report before residency is decided describes the best plan with all tensors stored.
TEST(PlanProgressTest, StoppedBeforeItIsKnownWhatStaysAPlanSaysSo) {
  const Hardware hardware = machine();
  const Network network = testing::random_network(4, {.ops = 16, .extent = 24, .channels = 16});
  std::size_t told = 0;
  PlanParams params{.max_ops = 2, .tile_shapes = 0};
  params.progress = [&](const PlanProgress&) { ++told; };
  const NetworkPlan whole = plan_network(network, hardware, params);
  ASSERT_EQ(whole.status, Status::feasible) << whole.reason;
  ASSERT_EQ(whole.stop, StopReason::completed);
  ASSERT_GE(told, 2U);
  std::stop_source stop;
  std::size_t calls = 0;
  params.limits.stop = stop.get_token();
  params.progress = [&](const PlanProgress&) {
    if (++calls == told - 1) stop.request_stop();
  };
  const NetworkPlan plan = plan_network(network, hardware, params);
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_EQ(plan.stop, StopReason::interrupted);
  EXPECT_FALSE(plan.optimal);
  EXPECT_LE(plan.bound, whole.score);
}

// The proof takes longest here: each limit ends it elsewhere.
TEST(PlanProgressTest, APlanThatALimitEndedSaysSo) {
  constexpr std::string_view text = R"(
tessera: network/1
name: proved
tensors: {x: {shape: [1, 24, 13, 13], dtype: int8}}
inputs: [x]
ops:
  - {name: a, type: concat, inputs: [x, x], output: t, axes: [1]}
  - {name: b, type: conv, inputs: [t], output: u, weights: {shape: [48, 1, 3, 3]}, groups: 48, pad: [1, 1, 1, 1]}
  - {name: c, type: conv, inputs: [t], output: v, weights: {shape: [4, 48, 3, 3]}, pad: [1, 1, 1, 1]}
outputs: [u, v]
)";
  const Network network = io::read_network_yaml(text, "proved.yaml").network;
  Profile profile("ethos-u55-like", {testing::source_path("hw_profiles").string()});
  profile.set("memories.sram.capacity", "4 KiB");
  const NetworkPlan whole = plan_network(network, profile.hardware(), {});
  ASSERT_EQ(whole.status, Status::feasible) << whole.reason;
  ASSERT_EQ(whole.stop, StopReason::completed);
  for (const int ms : {100, 200, 300, 400, 600, 800}) {
    SCOPED_TRACE(ms);
    PlanParams params;
    params.limits.timeout = std::chrono::milliseconds(ms);
    const NetworkPlan plan = plan_network(network, profile.hardware(), params);
    // The bound on plans that were not evaluated is valid.
    EXPECT_LE(plan.bound, whole.score);
    EXPECT_LE(plan.explored.bound, whole.score);
    if (plan.stop != StopReason::completed) continue;
    EXPECT_EQ(plan.score, whole.score);
    EXPECT_EQ(plan.bound, whole.bound);
    EXPECT_EQ(plan.explored.bound, whole.explored.bound);
  }
}

}  // namespace
}  // namespace tessera::planner
