// Resident tensors, against brute force: the best partition is computed for every set of tensors
// that may be resident. The plan is never worse than without resident tensors, its bound never
// above the optimum, and it usually equals the optimum.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_residency_test      repeats one of them
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <optional>
#include <vector>

#include "cost/group_bound.h"
#include "planner/candidates.h"
#include "planner/cover_bound.h"
#include "planner/peaks.h"
#include "planner/planning.h"
#include "tessera/check.h"
#include "tessera/files.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"
#include "tiling/subgraph.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

Hardware machine(Random& random, const Network& network, bool writes = true) {
  Size needed = 0;
  for (const Tensor& tensor : network.tensors) needed += tensor_bytes(tensor);
  Hardware h = testing::random_machine(random, {.needed = needed,
                                                .least_percent = 20,
                                                .most_percent = 120,
                                                .banks = true,
                                                .writes = writes});
  h.objective = {.latency = 0.4, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0.1};
  if (random.chance(50))
    h.objective = {.latency = 0.5, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0};
  if (random.chance(30)) testing::randomize_stored(random, h);
  testing::split_reach(random, h);
  testing::reach_off_chip(random, h);
  return h;
}

std::vector<TensorIndex> subset(const std::vector<TensorIndex>& all, std::uint64_t bits) {
  std::vector<TensorIndex> some;
  for (std::size_t k = 0; k < all.size(); ++k)
    if ((bits >> k & 1) != 0) some.push_back(all[k]);
  return some;
}

/// No group with these resident tensors is cheaper than its bound.
void expect_sound(const Network& network, const Hardware& hardware,
                  const std::vector<TensorIndex>& stays) {
  planner::Candidates candidates(network, hardware, {.stays = stays}, make_plan_memory());
  cost::GroupBounds bounds(network, hardware, stays);
  cost::GroupBounds stored(network, hardware);
  for (OpIndex first = 0; first < network.ops.size(); ++first)
    for (OpIndex last = first; last < network.ops.size(); ++last) {
      const Metrics least = bounds.of(first, last);
      const Metrics kept = stored.of(first, last, stays);
      ASSERT_EQ(kept.latency_cycles, least.latency_cycles);
      ASSERT_EQ(kept.dram_bytes, least.dram_bytes);
      ASSERT_NEAR(kept.energy_pj, least.energy_pj, 1e-9 * least.energy_pj);
      for (const PlannedSubgraph& s : candidates.answer({first, last})->options) {
        ASSERT_LE(least.latency_cycles, s.metrics.latency_cycles) << first << ".." << last;
        ASSERT_LE(least.dram_bytes, s.metrics.dram_bytes) << first << ".." << last;
        ASSERT_LE(least.energy_pj, s.metrics.energy_pj * (1 + 1e-9)) << first << ".." << last;
      }
    }
}

TEST(Residency, IsAsGoodAsBruteForceAsARule) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(40, 4));
  int planned = 0, keep = 0, worth = 0, best_found = 0, proved = 0, damaged = 0;
  int higher = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("TESSERA_CASES=1 TESSERA_SEED=" + std::to_string(seed));
    Random random(seed ^ 0x5e51de);
    const Network network =
        testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(2, 8)),
                                       .extent = 8,
                                       .channels = 4,
                                       .views = random.chance(30)});
    const Hardware hardware = machine(random, network);
    PlanParams params{.tile_shapes = 0, .residency = false};
    if (random.chance(60)) params.max_ops = static_cast<std::size_t>(random.between(1, 2));
    const NetworkPlan stored = plan_network(network, hardware, params);
    if (stored.status != Status::feasible) continue;
    ++planned;
    params.residency = true;
    params.limits.threads = static_cast<int>(random.between(1, 2));
    NetworkPlan plan = plan_network(network, hardware, params);
    ASSERT_EQ(plan.status, Status::feasible);
    ASSERT_LE(plan.score, stored.score * (1 + 1e-12));
    ASSERT_LE(plan.bound, plan.score * (1 + 1e-12));

    const std::vector<TensorIndex> may = tiling::may_stay(network, tiling::last_readers(network));
    params.memory = make_plan_memory();
    double best = stored.score;
    for (std::uint64_t bits = 1; bits < (std::uint64_t{1} << may.size()); ++bits) {
      const std::vector<TensorIndex> stays = subset(may, bits);
      const NetworkPlan one = planner::plan_once(network, hardware, params, stays);
      if (one.status == Status::feasible) best = std::min(best, one.score);
    }
    const cost::Score score{plan.weights, cost::in_cycles_of(hardware.clock_hz, plan.reference)};
    const double bound = planner::bound_whatever_stays(
        network, hardware, planner::on_chip_capacity(hardware), {score, params.max_ops});
    ASSERT_LE(bound, best * (1 + 1e-9));
    const double roomless =
        planner::bound_of_covers(network, hardware, may, {score, params.max_ops});
    ASSERT_GE(bound, roomless * (1 - 1e-9));
    for (const bool early : {false, true}) {
      const double of_all =
          planner::bound_of_all(network, hardware, {score, params.max_ops, early});
      ASSERT_GT(of_all, 0);
      ASSERT_LE(of_all,
                planner::bound_of_covers(network, hardware, may, {score, params.max_ops, early}) *
                    (1 + 1e-9));
    }
    higher += bound > roomless * (1 + 1e-9) ? 1 : 0;
    if (plan.optimal && plan.scope.residency) {
      ++proved;
      ASSERT_LE(plan.score, best * (1 + 1e-9));
    }
    if (plan.score < stored.score * (1 - 1e-9)) {
      ++keep;
      ASSERT_LE(plan.bound, best * (1 + 1e-9));
    }
    if (best < stored.score * (1 - 1e-9)) {
      ++worth;
      best_found += plan.score <= best * (1 + 1e-9) ? 1 : 0;
    }
    expect_sound(network, hardware, subset(may, random.below(std::uint64_t{1} << may.size())));

    const std::string text = plan_json(plan);
    const NetworkPlan again = load_plan_text(text, "plan.json", network, hardware);
    ASSERT_EQ(plan_json(again), text);
    // A group that omits a resident tensor from its list, or lists too many.
    PlannedSubgraph& some = plan.subgraphs[random.below(plan.subgraphs.size())];
    if (!some.kept.empty())
      some.kept.pop_back();
    else if (!may.empty())
      some.kept.push_back(network.tensors[may[random.below(may.size())]].name);
    else
      continue;
    ++damaged;
    ASSERT_FALSE(check_plan(network, hardware, plan).empty());
  }
  std::cout << planned << " plans, " << keep << " keep something; of " << worth
            << " where it is worth it " << best_found << " are the best there is; " << proved
            << " proved; " << higher << " bounds higher for the room there is; " << damaged
            << " damaged ones refused\n";
  EXPECT_GT(keep, planned / 10);
  EXPECT_GT(proved, planned / 10);
  EXPECT_GT(higher, planned / 10);
  EXPECT_GE(best_found * 10, worth * 9);
}

/// If the work suffices for a proof; else there may be no time for the tiles of the other plan.
TEST(Residency, IsNeverWorseThanWhereNothingMayStay) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(40, 4));
  int planned = 0, proved = 0, better = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("TESSERA_CASES=1 TESSERA_SEED=" + std::to_string(seed));
    Random random(seed ^ 0x0ff);
    const Network network = testing::random_network(
        seed,
        {.ops = static_cast<std::size_t>(random.between(2, 6)), .extent = 16, .channels = 12});
    const Hardware hardware = machine(random, network);
    PlanParams params{.effort = 300};
    const auto with = [&](bool residency) {
      params.residency = residency;
      return plan_network(network, hardware, params);
    };
    const NetworkPlan stored = with(false);
    if (stored.status != Status::feasible) continue;
    const NetworkPlan plan = with(true);
    ASSERT_EQ(plan.status, Status::feasible);
    ASSERT_LE(plan.score, stored.score * (plan.optimal ? 1 + 1e-9 : 1.05));
    ++planned;
    proved += plan.optimal ? 1 : 0;
    better += plan.score < stored.score * (1 - 1e-9) ? 1 : 0;
  }
  std::cout << planned << " plans, " << proved << " proved, " << better
            << " better with residency\n";
  EXPECT_GT(proved, planned / 3);
  EXPECT_GT(better, planned / 10);
}

/// Placed together, resident tensors and tiles have a higher peak than each group alone.
TEST(Residency, KeepsLimitsOnThePeak) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(40, 4));
  int limited = 0, keep = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("TESSERA_CASES=1 TESSERA_SEED=" + std::to_string(seed));
    Random random(seed ^ 0x91e4);
    const Network network =
        testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(3, 8)),
                                       .extent = 8,
                                       .channels = 4,
                                       .views = random.chance(30)});
    const Hardware hardware = machine(random, network, random.chance(80));
    PlanParams params{.tile_shapes = 0};
    params.max_ops = static_cast<std::size_t>(random.between(1, 3));
    params.fewest_modes = random.chance(50);  // fewer modes may mean fewer switches than proved
    const NetworkPlan free = plan_network(network, hardware, params);
    if (free.status != Status::feasible) continue;
    const double limit = static_cast<double>(free.totals.peak_bytes) *
                         static_cast<double>(random.between(50, 99)) / 100;
    if (limit < 1) continue;
    params.peak_limits = {{"peak_memory", limit}};
    const NetworkPlan plan = plan_network(network, hardware, params);
    if (plan.status != Status::feasible) continue;
    ++limited;
    keep += std::ranges::any_of(plan.subgraphs, [](const auto& run) { return !run.kept.empty(); });
    ASSERT_LE(static_cast<double>(plan.totals.peak_bytes), limit);
  }
  EXPECT_GT(keep, limited / 10);
}

}  // namespace
}  // namespace tessera
