// Weight prefetches against arbitrary ones: random partitions in random tilings, with random
// weights loaded in earlier groups, score no less than a plan's bound, nor than a proved plan.
// Plans with prefetches are no worse than those without, survive their files, and are rejected if
// their lists disagree.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_early_test      repeats one of them
#include "planner/early.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/group_bound.h"
#include "planner/candidates.h"
#include "planner/describe.h"
#include "planner/joined.h"
#include "planner/kept_places.h"
#include "planner/piece.h"
#include "tessera/check.h"
#include "tessera/files.h"
#include "tests/support/any_partition.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"
#include "tiling/subgraph.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

Hardware early_machine(Random& random, const Network& network) {
  Hardware h = testing::random_machine(random, {.needed = testing::bytes_of(network),
                                                .least_percent = 50,
                                                .most_percent = 250,
                                                .idle_power = true,
                                                .banks = true,
                                                .writes = random.chance(80)});
  const bool writes = !stays_on_chip(h);
  h.objective = {.latency = 1};
  if (random.chance(50))
    h.objective = {.latency = 0.4, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0.1};
  if (random.chance(30)) testing::randomize_stored(random, h);
  if (writes && random.chance(30)) testing::add_flash(random, h);
  testing::split_reach(random, h);
  testing::reach_off_chip(random, h);
  if (random.chance(30)) h.dma.weight_slices = 4;
  h.tiling.early = Early::weights;
  return h;
}

/// An arbitrary plan: any partition in any of the known tilings, and any allowed prefetches. None
/// if it has no placement.
class AnyEarlyPlan {
 public:
  AnyEarlyPlan(const Network& network, const Hardware& hardware, std::size_t max_ops)
      : network_(network), covers_(network, hardware, max_ops) {}

  std::optional<std::vector<PlannedSubgraph>> runs(Random& random) {
    std::optional<std::vector<PlannedSubgraph>> runs = covers_.runs(random);
    if (!runs) return std::nullopt;
    for (std::size_t k = 1; k < runs->size(); ++k) bring_early(random, *runs, k);
    if (!covers_.finalise(*runs)) return std::nullopt;
    return runs;
  }

 private:
  /// In the previous group, or in earlier ones.
  void bring_early(Random& random, std::vector<PlannedSubgraph>& runs, std::size_t k) const {
    if (runs[k].variant.reduction > 1 || runs[k].variant.weights != WeightPolicy::resident) return;
    const tiling::Subgraph part = tiling::make_subgraph(network_, runs[k].ops, covers_.readers());
    for (const tiling::LocalTensor& local : part.tensors) {
      if (!local.weight || random.chance(30)) continue;
      const std::string& name = network_.tensors[local.tensor].name;
      std::size_t j = k;
      while (j > 0 && leaves_alone(runs[j - 1], local.tensor) && (j == k || random.chance(40))) --j;
      if (j > 0 && may_leave(runs[j - 1], local.tensor) && random.chance(80)) --j;
      if (j == k) continue;
      runs[k].early.push_back(name);
      runs[j].ahead.push_back(name);
      for (std::size_t between = j + 1; between < k; ++between)
        runs[between].passing.push_back(name);
    }
  }
  [[nodiscard]] bool leaves_alone(const PlannedSubgraph& run, TensorIndex weight) const {
    const auto is_listed = [&](const std::vector<std::string>& names) {
      return std::ranges::find(names, network_.tensors[weight].name) != names.end();
    };
    const tiling::Subgraph part = tiling::make_subgraph(network_, run.ops, covers_.readers());
    return run.variant.reduction == 1 && !is_listed(run.ahead) && !is_listed(run.passing) &&
           std::ranges::find(part.tensors, weight, &tiling::LocalTensor::tensor) ==
               part.tensors.end();
  }

  /// Does the group read the weight itself, and hold all of it until its end?
  [[nodiscard]] bool may_leave(const PlannedSubgraph& run, TensorIndex weight) const {
    const tiling::Subgraph part = tiling::make_subgraph(network_, run.ops, covers_.readers());
    return run.variant.reduction == 1 && run.variant.weights == WeightPolicy::resident &&
           std::ranges::find(part.tensors, weight, &tiling::LocalTensor::tensor) !=
               part.tensors.end();
  }

  const Network& network_;
  testing::AnyPartition covers_;
};

/// A few weights used repeatedly, as in an unrolled recurrent cell.
Network unrolled(Random& random) {
  Network net{.name = "unrolled"};
  const Dim channels = random.between(2, 12);
  const Dim extent = random.between(2, 8);
  const auto tensor = [&](const std::string& name, std::vector<Dim> shape, TensorKind kind) {
    net.tensors.push_back({.name = name, .shape = std::move(shape), .kind = kind});
    return net.tensors.size() - 1;
  };
  TensorIndex last = tensor("x", {1, channels, extent, extent}, TensorKind::activation);
  net.inputs = {last};
  std::vector<TensorIndex> weights;
  const std::int64_t ops = random.between(3, 5);
  for (std::int64_t k = 0; k < ops; ++k) {
    if (weights.empty() || random.chance(30)) {
      const Dim kernel = random.chance(50) ? 1 : 3;
      weights.push_back(tensor("w" + std::to_string(k), {channels, channels, kernel, kernel},
                               TensorKind::weight));
    }
    const TensorIndex weight = random.pick(weights);
    const Dim kernel = net.tensors[weight].shape[2];
    Op op{.name = "op" + std::to_string(k), .kind = OpKind::conv};
    op.inputs = {last, weight};
    op.kernel = {kernel, kernel};
    op.stride = op.dilation = {1, 1};
    op.pad_begin = op.pad_end = {kernel / 2, kernel / 2};
    last = tensor("t" + std::to_string(k), {1, channels, extent, extent}, TensorKind::activation);
    op.outputs = {last};
    net.ops.push_back(std::move(op));
  }
  net.outputs = {last};
  return net;
}

/// A weight that one group reads and leaves for another.
bool is_left(const Network& network, const std::vector<PlannedSubgraph>& runs) {
  const auto readers = tiling::last_readers(network);
  return std::ranges::any_of(runs, [&](const PlannedSubgraph& run) {
    const tiling::Subgraph part = tiling::make_subgraph(network, run.ops, readers);
    return std::ranges::any_of(run.ahead, [&](const std::string& name) {
      return std::ranges::any_of(part.tensors, [&](const tiling::LocalTensor& local) {
        return network.tensors[local.tensor].name == name;
      });
    });
  });
}

bool comes_early(const std::vector<PlannedSubgraph>& runs) {
  return std::ranges::any_of(runs, [](const PlannedSubgraph& run) { return !run.early.empty(); });
}
bool waits(const std::vector<PlannedSubgraph>& runs) {
  return std::ranges::any_of(runs, [](const PlannedSubgraph& run) { return !run.passing.empty(); });
}

/// One group lists a weight and the other does not, or its place differs.
void expect_early_damage_is_seen(const Network& network, const Hardware& hardware, NetworkPlan plan,
                                 Random& random) {
  std::vector<PlannedSubgraph>& runs = plan.subgraphs;
  const auto having = [&](std::vector<std::string> PlannedSubgraph::*list) {
    return std::ranges::find_if(runs, [&](const auto& run) { return !(run.*list).empty(); });
  };
  const auto late = having(&PlannedSubgraph::early);
  const auto before = having(&PlannedSubgraph::ahead);
  const auto between = having(&PlannedSubgraph::passing);
  switch (random.below(between == runs.end() ? 3 : 5)) {
    case 0:
      late->early.pop_back();
      break;
    case 1:
      before->ahead.pop_back();
      break;
    case 2:
      before->ahead.push_back(before->ahead.front());
      break;
    case 3:
      between->passing.pop_back();
      break;
    default:
      between->ahead.push_back(between->passing.front());
  }
  ASSERT_FALSE(check_plan(network, hardware, plan).empty());
}

TEST(Early, NobodyIsBetterThanTheBound) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(60, 5));
  int planned = 0, early = 0, waiting = 0, left = 0, better = 0, proved = 0;
  int tried = 0, tried_early = 0, tried_waiting = 0, tried_left = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("TESSERA_CASES=1 TESSERA_SEED=" + std::to_string(seed));
    Random random(seed ^ 0xea517);
    const Network network =
        seed % 4 == 0
            ? unrolled(random)
            : testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(2, 5)),
                                             .extent = 8,
                                             .channels = 12,
                                             .views = random.chance(30)});
    const Hardware hardware = early_machine(random, network);
    PlanParams params{.tile_shapes = 8};
    if (random.chance(70)) params.max_ops = static_cast<std::size_t>(random.between(1, 2));
    Hardware late = hardware;
    late.tiling.early = Early::none;
    const NetworkPlan without = plan_network(network, late, params);
    const NetworkPlan plan = plan_network(network, hardware, params);
    ASSERT_EQ(plan.status, without.status);
    if (plan.status != Status::feasible) continue;
    ++planned;
    ASSERT_LE(plan.score, without.score * (1 + 1e-12));
    ASSERT_LE(plan.bound, plan.score * (1 + 1e-12));
    better += plan.score < without.score * (1 - 1e-9) ? 1 : 0;
    early += comes_early(plan.subgraphs) ? 1 : 0;
    waiting += waits(plan.subgraphs) ? 1 : 0;
    left += is_left(network, plan.subgraphs) ? 1 : 0;
    proved += plan.optimal ? 1 : 0;

    const std::string text = plan_json(plan);
    ASSERT_EQ(plan_json(load_plan_text(text, "plan.json", network, hardware)), text);
    if (comes_early(plan.subgraphs)) expect_early_damage_is_seen(network, hardware, plan, random);

    const Network own = planner::network_of(network, hardware, plan.joined);
    // With other bounds.
    params.effort = thorough_plan_effort;
    const NetworkPlan thorough = plan_network(network, hardware, params);
    ASSERT_LE(thorough.bound, std::min(plan.score, thorough.score) * (1 + 1e-9));
    AnyEarlyPlan anybody(own, hardware, params.max_ops);
    cost::GroupBounds bounds(own, hardware, {}, true);
    const cost::Score score{plan.weights, cost::in_cycles_of(hardware.clock_hz, plan.reference)};
    for (int k = 0; k < 20; ++k) {
      const auto runs = anybody.runs(random);
      if (!runs) continue;
      ++tried;
      tried_early += comes_early(*runs) ? 1 : 0;
      tried_waiting += waits(*runs) ? 1 : 0;
      tried_left += is_left(own, *runs) ? 1 : 0;
      const double theirs = cost::score_of(score, planner::totals_of(*runs));
      ASSERT_LE(plan.bound, theirs * (1 + 1e-9));
      ASSERT_LE(thorough.bound, theirs * (1 + 1e-9));
      Size least = 0;
      for (const PlannedSubgraph& run : *runs) {
        const Metrics bound = bounds.of(run.ops.first, run.ops.last);
        ASSERT_LE(bound.latency_cycles, run.metrics.latency_cycles);
        least += bound.dram_bytes;
      }
      ASSERT_LE(least, planner::totals_of(*runs).dram_bytes);
    }
  }
  std::cout << planned << " plans, weights are prefetched in " << early << ", some wait in "
            << waiting << ", some are left in " << left << ", " << better << " better for it, "
            << proved << " proved; " << tried << " random plans, " << tried_early
            << " with early weights, " << tried_waiting << " with some that wait, " << tried_left
            << " with some that are left\n";
  EXPECT_GT(early, planned / 10);
  EXPECT_GT(tried_early, tried / 10);
  if (cases >= 20) {
    EXPECT_GT(tried_waiting, tried / 50);
    EXPECT_GT(left, planned / 50);
    EXPECT_GT(tried_left, tried / 50);
  }
}

}  // namespace
}  // namespace tessera
