#include <gtest/gtest.h>

#include "tessera/plan.h"
#include "tessera/profile.h"
#include "tests/support/paths.h"
#include "tests/support/random_network.h"

namespace tessera::planner {
namespace {

/// All figures of this machine depend on its clock, so another clock changes no cycle count: the
/// layer-by-layer plan has the reference's cycles, but another score.
TEST(PlanReference, AnotherClockThatTakesAsManyCyclesHasAnotherScore) {
  Profile profile("ethos-u55-256", {testing::source_path("hw_profiles").string()});
  profile.set({{"clock", "1 GHz"}, {"objective", "{latency: 1}"}});
  const Network network = testing::random_network(3, {.ops = 3});
  const NetworkPlan plan = plan_network(network, profile.hardware(), {});
  ASSERT_EQ(plan.status, Status::feasible);
  EXPECT_EQ(plan.baseline.latency_cycles, plan.reference.totals.latency_cycles);
  EXPECT_NEAR(plan.baseline_score, 0.5, 1e-3);
}

/// The same with almost no weight on latency: a score close to 1 is not 1, and the final check
/// detects the difference.
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
