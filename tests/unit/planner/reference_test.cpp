#include <gtest/gtest.h>

#include "tessera/plan.h"
#include "tessera/profile.h"
#include "tests/support/paths.h"
#include "tests/support/random_network.h"

namespace tessera::planner {
namespace {

/// Everything of this machine is tied to its clock, so another clock leaves every cycle as it is:
/// the plan layer by layer has the reference's cycles, and still another score.
TEST(PlanReference, AnotherClockThatTakesAsManyCyclesHasAnotherScore) {
  Profile profile("ethos-u55-256", {testing::source_path("hw_profiles").string()});
  profile.set({{"clock", "1 GHz"}, {"objective", "{latency: 1}"}});
  const Network network = testing::random_network(3, {.ops = 3});
  const NetworkPlan plan = plan_network(network, profile.hardware(), {});
  ASSERT_EQ(plan.status, Status::feasible);
  EXPECT_EQ(plan.baseline.latency_cycles, plan.reference.totals.latency_cycles);
  EXPECT_NEAR(plan.baseline_score, 0.5, 1e-3);
}

}  // namespace
}  // namespace tessera::planner
