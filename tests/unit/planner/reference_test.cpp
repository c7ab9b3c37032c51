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

/// The same with next to no weight on latency: a score that is nearly 1 is not 1, and the checker,
/// which the planner asks in the end, knows.
TEST(PlanReference, AScoreThatIsNearlyOneIsSaidAsItIs) {
  Profile profile("ethos-u55-256", {testing::source_path("hw_profiles").string()});
  profile.set({{"clock", "1 GHz"}, {"objective", "{latency: 0.0000000001, energy: 0.9999999999}"}});
  const Network network = testing::random_network(3, {.ops = 3});
  const NetworkPlan plan = plan_network(network, profile.hardware(), {});
  ASSERT_EQ(plan.status, Status::feasible);
  EXPECT_NEAR(plan.baseline_score, 1 - 0.5e-10, 1e-12);
}

}  // namespace
}  // namespace tessera::planner
