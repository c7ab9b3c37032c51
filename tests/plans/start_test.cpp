// Plans that start with a known plan.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "tessera/plan.h"
#include "tessera/profile.h"
#include "tests/support/effort.h"
#include "tests/support/paths.h"
#include "tests/support/random_network.h"

namespace tessera::planner {
namespace {

Hardware machine(const char* capacity) {
  Profile profile("ethos-u65-256", {testing::source_path("hw_profiles").string()});
  profile.set("memories.sram.capacity", capacity);
  return profile.hardware();
}

TEST(PlanStart, IsNeverBetterThanThePlan) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= (testing::quick ? 6U : 2U); ++seed) {
    SCOPED_TRACE(seed);
    const Network network = testing::random_network(seed, {.ops = 8, .extent = 40, .channels = 32});
    const Hardware less = machine("8 KiB");
    PlanParams params{.effort = 20, .proof_shapes = 0};
    const auto start = std::make_shared<const NetworkPlan>(plan_network(network, less, params));
    ASSERT_EQ(start->status, Status::feasible) << start->reason;
    params.effort = 1;
    for (const char* capacity : {"8 KiB", "16 KiB", "64 KiB"}) {
      SCOPED_TRACE(capacity);
      const Hardware hardware = machine(capacity);
      params.start = nullptr;
      params.reference = start->reference;
      const double without = plan_network(network, hardware, params).score;
      params.start = start;
      const NetworkPlan plan = plan_network(network, hardware, params);
      ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
      EXPECT_LE(plan.score, start->score * (1 + 1e-9));
      EXPECT_LE(plan.bound, plan.score);
      EXPECT_EQ(check_plan(network, hardware, plan).size(), 0U);
      better += plan.score < without * (1 - 1e-9) ? 1 : 0;
    }
  }
  EXPECT_GT(better, 0);
}

TEST(PlanStart, OfAnotherNetworkIsRefused) {
  const Hardware hardware = machine("8 KiB");
  const Network network = testing::random_network(1, {.ops = 4, .extent = 8, .channels = 8});
  const Network other = testing::random_network(2, {.ops = 5, .extent = 8, .channels = 8});
  PlanParams params{.effort = 1};
  params.start = std::make_shared<const NetworkPlan>(plan_network(other, hardware, params));
  EXPECT_THROW(static_cast<void>(plan_network(network, hardware, params)), BadInput);
}

}  // namespace
}  // namespace tessera::planner
