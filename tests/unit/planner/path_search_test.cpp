// The path search is anytime, deterministic, and its plans are right.
#include "planner/path_search.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "cost/score.h"
#include "planner/describe.h"
#include "planner/planning.h"
#include "tessera/plan.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"

namespace tessera::planner {
namespace {

using testing::Random;

struct Case {
  Network network;
  Hardware hardware;
};

Case random_case(std::uint64_t seed) {
  Random random(seed ^ 0x9a7b);
  Case made{testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(2, 8)),
                                           .extent = 8,
                                           .channels = 4}),
            {}};
  Size needed = 0;
  for (const Tensor& tensor : made.network.tensors) needed += tensor_bytes(tensor);
  made.hardware = testing::random_machine(
      random, {.needed = needed, .least_percent = 20, .most_percent = 120, .banks = true});
  made.hardware.objective = {
      .latency = 0.4, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = random.chance(50) ? 0.1 : 0};
  return made;
}

/// Layer by layer.
NetworkPlan start_of(const Case& made, PlanParams params) {
  params.max_ops = 1;
  params.tile_shapes = 0;
  return plan_once(made.network, made.hardware, params);
}

std::vector<double> scores_of(const Case& made, const NetworkPlan& start, const PathResult& found) {
  const cost::Score score{start.weights,
                          cost::in_cycles_of(made.hardware.clock_hz, start.reference)};
  std::vector<double> scores;
  for (const Runs& groups : found.plans) scores.push_back(cost::score_of(score, totals_of(groups)));
  return scores;
}

TEST(PathSearch, MoreEffortContinuesTheSameSearch) {
  std::size_t planned = 0, improved = 0, complete = 0;
  for (std::uint64_t seed = 1; seed <= testing::effort(20, 6); ++seed) {
    SCOPED_TRACE(seed);
    const Case made = random_case(seed);
    PlanParams params{.tile_shapes = 8};
    params.memory = make_plan_memory();
    const NetworkPlan start = start_of(made, params);
    if (start.status != Status::feasible) continue;
    ++planned;
    std::vector<double> before;
    for (const std::int64_t effort : {std::int64_t{1}, std::int64_t{8}, thorough_plan_effort}) {
      params.effort = effort;
      params.limits.threads = effort == 8 ? 3 : 1;
      const PathResult found =
          PathSearch(made.network, made.hardware, params, start).run(start.subgraphs);
      const std::vector<double> scores = scores_of(made, start, found);
      for (std::size_t k = 0; k < scores.size(); ++k)
        ASSERT_LT(scores[k], k == 0 ? start.score : scores[k - 1]);
      ASSERT_GE(scores.size(), before.size());
      ASSERT_TRUE(std::equal(before.begin(), before.end(), scores.begin()));
      before = scores;
      if (effort == thorough_plan_effort) complete += found.complete ? 1U : 0U;
    }
    improved += before.empty() ? 0U : 1U;
  }
  EXPECT_GT(improved * 2, planned);
  EXPECT_EQ(complete, planned);
}

TEST(PathSearch, PlansAreRight) {
  std::size_t checked = 0;
  for (std::uint64_t seed = 100; seed < 100 + testing::effort(15, 6); ++seed) {
    SCOPED_TRACE(seed);
    const Case made = random_case(seed);
    PlanParams params{.tile_shapes = 8};
    params.memory = make_plan_memory();
    const NetworkPlan start = start_of(made, params);
    if (start.status != Status::feasible) continue;
    const PathResult found =
        PathSearch(made.network, made.hardware, params, start).run(start.subgraphs);
    const cost::Score score{start.weights,
                            cost::in_cycles_of(made.hardware.clock_hz, start.reference)};
    for (const Runs& groups : found.plans) {
      NetworkPlan plan = start;
      plan.subgraphs = groups;
      plan.bound = plan.explored.bound = 0;
      plan.optimal = plan.explored.optimal = false;
      settle_off_chip(made.network, made.hardware, {}, plan, 1);
      describe(made.network, made.hardware, score, plan, 1);
      for (const std::string& wrong : check_plan(made.network, made.hardware, plan))
        ADD_FAILURE() << wrong;
      ++checked;
    }
  }
  EXPECT_GT(checked, 5U);
}

}  // namespace
}  // namespace tessera::planner
