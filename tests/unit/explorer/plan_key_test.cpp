#include "explorer/plan_key.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <set>
#include <vector>

namespace tessera::explorer {
namespace {

PlanParams asked() {
  PlanParams params;
  params.weights = {{"latency", 1}};
  params.reference = PlanReference{.profile = "toy", .clock_hz = 1e9, .totals = {}};
  return params;
}

// A stored plan belongs to exactly this query: the key contains everything a plan depends on.
TEST(PlanKey, ChangesWithWhateverAPlanDependsOn) {
  const std::vector<std::function<void(PlanParams&)>> changes{
      [](PlanParams& params) { params.max_ops = 3; },
      [](PlanParams& params) { params.limits.work = 1000; },
      [](PlanParams& params) { params.limits.seed = 1; },
      [](PlanParams& params) { params.nodes_per_question += 1; },
      [](PlanParams& params) { params.tile_shapes = 0; },
      [](PlanParams& params) { params.tile_shapes = 8; },
      [](PlanParams& params) {
        params.weights = {{"energy", 1}};
      },
      [](PlanParams& params) {
        params.weights = {{"latency", 0.5}};
      },
      [](PlanParams& params) {
        params.peak_limits = {{"peak_memory", 1024}};
      },
      [](PlanParams& params) { params.reference->clock_hz = 2e9; },
      [](PlanParams& params) { params.reference->totals.latency_cycles = 7; },
      [](PlanParams& params) { params.reference->totals.energy_pj = 7; },
      [](PlanParams& params) { params.reference->totals.dram_bytes = 7; },
      [](PlanParams& params) { params.reference->totals.peak_bytes = 7; },
  };
  std::set<std::string> keys{plan_key("m", "n", asked()), plan_key("m", "o", asked()),
                             plan_key("o", "n", asked())};
  EXPECT_EQ(keys.size(), 3U);
  for (std::size_t k = 0; k < changes.size(); ++k) {
    PlanParams params = asked();
    changes[k](params);
    EXPECT_TRUE(keys.insert(plan_key("m", "n", params)).second) << "change " << k;
  }
}

TEST(PlanKey, IsTheSameHoweverLongAndWithHowManyThreads) {
  PlanParams params = asked();
  params.limits.timeout = std::chrono::seconds(1);
  params.limits.memory = 1 << 20;
  params.limits.threads = 7;
  params.memory = make_plan_memory();
  params.progress = [](const PlanProgress&) {};
  EXPECT_EQ(plan_key("m", "n", params), plan_key("m", "n", asked()));
}

}  // namespace
}  // namespace tessera::explorer
