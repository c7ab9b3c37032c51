// Proved plans against brute force: every partition, every tile shape in every variant, sums in
// parts, all stationary data, each tiling in the smallest memory it fits into. A plan reported as
// optimal is the best of all these, and no bound is above it.
//
//   random_proof_test                                    100 networks
//   TESSERA_SEED=17 TESSERA_CASES=1 random_proof_test    repeats one of them
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "cost/score.h"
#include "model/numeric.h"
#include "planner/group_lattice.h"
#include "planner/joined.h"
#include "planner/path_bound.h"
#include "tessera/plan.h"
#include "tests/random/literal_tilings.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_network.h"
#include "tiling/subgraph.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

/// Cost and peak of a tiling.
struct Tiling {
  double cost = 0;
  Size peak = 0;
};

/// The Pareto front of a group's tilings by cost and peak.
std::vector<Tiling> tilings_of(const tiling::Subgraph& part, const Hardware& hardware,
                               const cost::Score& score) {
  const bool peaks_count = cost::peak_weight(score) > 0;
  std::vector<Tiling> ways;
  testing::for_each_tiling(part, hardware, [&](const testing::LiteralTiling& each) {
    const double cost = cost::additive_score(score, each.option.metrics);
    ways.push_back({cost, peaks_count ? each.lowest_peak() : 0});
  });
  return ways;
}

/// The minimum score over all partitions, with each group's peak as a limit in turn.
double best_cover(const std::vector<std::vector<std::vector<Tiling>>>& runs, std::size_t max_ops,
                  double per_byte) {
  double best = infinity;
  std::vector<Size> peaks;
  for (const auto& row : runs)
    for (const std::vector<Tiling>& run : row)
      for (const Tiling& way : run) peaks.push_back(way.peak);
  std::ranges::sort(peaks);
  peaks.erase(std::unique(peaks.begin(), peaks.end()), peaks.end());
  for (const Size most : peaks) {
    std::vector<double> least(runs.size() + 1, infinity);
    least[0] = 0;
    for (std::size_t first = 0; first < runs.size(); ++first)
      for (std::size_t length = 1; length <= std::min(max_ops, runs.size() - first); ++length)
        for (const Tiling& way : runs[first][length - 1])
          if (way.peak <= most)
            least[first + length] = std::min(least[first + length], least[first] + way.cost);
    best = std::min(best, least.back() + per_byte * static_cast<double>(most));
  }
  return best;
}

double best_of_all(const Network& network, const Hardware& hardware, const PlanParams& params,
                   const cost::Score& score) {
  const auto readers = tiling::last_readers(network);
  const std::vector<TensorIndex> may =
      params.residency ? tiling::may_stay(network, readers) : std::vector<TensorIndex>{};
  double best = infinity;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << may.size(); ++bits) {
    std::vector<TensorIndex> stays;
    for (std::size_t k = 0; k < may.size(); ++k)
      if ((bits >> k & 1) != 0) stays.push_back(may[k]);
    std::vector<std::vector<std::vector<Tiling>>> runs(network.ops.size());
    for (OpIndex first = 0; first < network.ops.size(); ++first)
      for (OpIndex last = first; last < network.ops.size(); ++last)
        runs[first].push_back(last - first < params.max_ops
                                  ? tilings_of(tiling::make_subgraph(network, {first, last},
                                                                     readers, hardware, stays),
                                               hardware, score)
                                  : std::vector<Tiling>{});
    best = std::min(best, best_cover(runs, params.max_ops, cost::peak_weight(score)));
  }
  return best;
}

/// The bound by itself, with a known score that is above the best.
double raised_bound(const Network& network, const Hardware& hardware, PlanParams params,
                    const NetworkPlan& plan, double known) {
  constexpr int most_steps = 300;
  params.memory = make_plan_memory();
  const planner::GroupLattice groups(network, hardware, params);
  planner::PathBound bound(network, hardware, params, plan, groups, false);
  for (int step = 0; step < most_steps && bound.raise(known); ++step)
    static_cast<void>(bound.take_placed());
  return bound.least();
}

/// The least cost of any tiling of a group with its resident tensors.
double best_of_group(const Network& network, const Hardware& hardware, const cost::Score& score,
                     const PlannedSubgraph& group) {
  const tiling::Subgraph part =
      tiling::make_subgraph(network, group.ops, tiling::last_readers(network), hardware,
                            planner::kept_tensors(network, group));
  double best = infinity;
  for (const Tiling& each : tilings_of(part, hardware, score)) best = std::min(best, each.cost);
  return best;
}

TEST(PlanProof, NoPlanIsBetterThanAProvedOne) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(100, 6));
  int planned = 0;
  int proved = 0;
  int best_found = 0;
  int in_place = 0;
  int groups_bounded = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("repeat with TESSERA_SEED=" + std::to_string(seed) + " TESSERA_CASES=1");
    Random random(seed ^ 0x9f00f);
    testing::RandomNetworkParams size{.ops = static_cast<std::size_t>(random.between(1, 3)),
                                      .extent = 5,
                                      .channels = 3,
                                      .views = random.chance(40)};
    const bool dense = seed % 5 == 0;
    if (dense) size.ops = 4;
    const Network network =
        dense ? testing::random_dense_network(seed, size) : testing::random_network(seed, size);
    Hardware hardware = testing::machine_with_choices(random, testing::bytes_of(network));
    hardware.objective = {.latency = 0.4, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0.1};
    if (random.chance(40))
      hardware.objective = {.latency = 0.5, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0};
    PlanParams params{.residency = random.chance(50)};
    if (random.chance(30)) params.max_ops = 2;
    params.limits.threads = static_cast<int>(random.between(1, 2));
    if (random.chance(20)) params.proof_shapes = random.between(0, 400);
    if (seed % 2 == 0) params.effort = thorough_plan_effort;
    const NetworkPlan plan = plan_network(network, hardware, params);
    if (plan.status != Status::feasible) continue;
    ++planned;
    const cost::Score score{plan.weights, cost::in_cycles_of(hardware.clock_hz, plan.reference)};
    const Network own = planner::network_of(network, hardware, plan.joined);
    const double best = best_of_all(own, hardware, params, score);
    if (!stays_on_chip(hardware)) {
      EXPECT_LE(raised_bound(own, hardware, params, plan, best * 1.02), best * (1 + 1e-8));
    }
    EXPECT_LE(plan.bound, plan.score);
    EXPECT_LE(plan.bound, best * (1 + 1e-8));
    EXPECT_GE(plan.score, best * (1 - 1e-8));
    for (std::size_t k = 0; k < plan.group_bounds.size(); ++k) {
      EXPECT_LE(plan.group_bounds[k].bound,
                best_of_group(own, hardware, score, plan.subgraphs[k]) * (1 + 1e-8));
      ++groups_bounded;
    }
    in_place += dense && !plan.joined.empty() ? 1 : 0;
    best_found += plan.score <= best * (1 + 1e-8) ? 1 : 0;
    if (!plan.optimal) continue;
    ++proved;
    EXPECT_LE(plan.score, best * (1 + 1e-8));
  }
  std::cout << planned << " plans, " << proved << " proved, " << best_found
            << " the best there is\n";
  EXPECT_GT(planned, static_cast<int>(cases / 2));
  EXPECT_GT(proved, planned / 2);
  EXPECT_GT(groups_bounded, planned / 2);
  if (cases >= 100) {
    EXPECT_GT(in_place, 0);
  }
}

}  // namespace
}  // namespace tessera
