// Cheaper tiles than the fewest-tile options, against exhaustive search. For random groups of ops
// on random machines, the cheapest option is the cheapest over all tile shapes in all variants,
// each placed and simulated separately. With a small evaluation limit, the omitted options cost at
// least the stated bound.
//
//   random_cheapest_tile_test                                    300 groups
//   TESSERA_SEED=17 TESSERA_CASES=1 random_cheapest_tile_test    repeats one of them
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "cost/channel_use.h"
#include "cost/grid_bound.h"
#include "planner/candidates.h"
#include "tests/random/literal_tilings.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"
#include "tiling/subgraph.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

/// Bounds of tilings by their numbers of tiles, for one group after the other.
class Bounds {
 public:
  explicit Bounds(const Hardware& hardware) : hardware_(hardware) {}

  void expect_no_more(const testing::LiteralTiling& each) {
    if (part_ != &each.part) find(each.part);
    if (!bound_) return;
    const Metrics& m = each.option.metrics;
    for (const Metrics& least : {bound_->of_counts(each.option.counts, each.option.variant),
                                 bound_->least(each.option.tile_count(), each.option.variant)}) {
      EXPECT_LE(least.latency_cycles, m.latency_cycles);
      EXPECT_LE(least.dram_bytes, m.dram_bytes);
      EXPECT_LE(least.energy_pj, m.energy_pj * (1 + 1e-9));
    }
  }

 private:
  void find(const tiling::Subgraph& part) {
    part_ = &part;
    bound_.reset();
    const tiling::TileGeometry geometry(part, HaloPolicy::recompute);
    if (!geometry.has_volumes()) return;
    const auto readers = tiling::last_readers(*part.network);
    bound_.emplace(part, geometry.space(), cost::ChannelUse(*part.network, readers), hardware_);
  }

  const Hardware& hardware_;
  const tiling::Subgraph* part_ = nullptr;
  std::optional<cost::GridBound> bound_;
};

/// Over every shape in every variant, with the sums at once and in each number of parts.
double cheapest(const Network& network, OpRange ops, const Hardware& hardware,
                const planner::ShapeGoal& goal) {
  double best = std::numeric_limits<double>::infinity();
  Bounds bounds(hardware);
  testing::for_each_tiling(
      tiling::make_subgraph(network, ops, tiling::last_readers(network), hardware), hardware,
      [&](const testing::LiteralTiling& each) {
        best = std::min(best, goal.score(each.option.metrics));
        bounds.expect_no_more(each);
      });
  return best;
}

double best_of(const planner::CandidateAnswer& answer, const planner::ShapeGoal& goal) {
  double best = std::numeric_limits<double>::infinity();
  for (const PlannedSubgraph& option : answer.options)
    best = std::min(best, goal.score(option.metrics));
  return best;
}

TEST(CheapestTile, IsTheCheapestOfAllShapes) {
  const std::uint64_t first_seed = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(300));
  int better = 0;
  int in_parts = 0;
  int exact = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    SCOPED_TRACE("repeat with TESSERA_SEED=" + std::to_string(seed) + " TESSERA_CASES=1");
    Random random(seed ^ 0x51ab);
    const Network network =
        testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(1, 4)),
                                       .extent = 7,
                                       .channels = 4,
                                       .views = random.chance(50),
                                       .spatial_only = random.chance(60)});
    const OpRange ops{0, network.ops.size() - 1};
    const Size bytes = testing::bytes_of(network);
    const Hardware hardware = testing::machine_with_choices(random, bytes);
    const double latency = random.chance(20) ? 1 : 0.5;
    const Size peak = random.chance(50) ? bytes : random.between(1, bytes);
    const planner::ShapeGoal goal{.score =
                                      [&](const Metrics& m) {
                                        return latency * static_cast<double>(m.latency_cycles) +
                                               (1 - latency) * m.energy_pj / 100 +
                                               static_cast<double>(std::max(peak, m.peak_bytes));
                                      },
                                  .key = "",
                                  .most_shapes = 100000,
                                  .last = planner::ShapeGoal::Stage::direct};
    planner::Candidates candidates(network, hardware, {}, make_plan_memory());
    auto answer = candidates.answer(ops);
    for (int effort = 1; !answer->final; ++effort) answer = candidates.answer(ops, effort);
    const double fewest = best_of(*answer, goal);
    const double all = cheapest(network, ops, hardware, goal);
    EXPECT_GE(fewest, all * (1 - 1e-9));
    // The bound for omitted options.
    {
      planner::Candidates some(network, hardware, {}, make_plan_memory());
      for (int effort = 0; !some.answer(ops, effort)->final;) ++effort;
      planner::ShapeGoal few = goal;
      few.most_shapes = random.between(1, 20);
      some.refine(ops, few);
      const auto found = some.answer(ops);
      EXPECT_LE(best_of(*found, goal), fewest);
      EXPECT_GE(all, std::min(found->open_score, best_of(*found, goal)) * (1 - 1e-9));
    }
    candidates.refine(ops, goal);
    answer = candidates.answer(ops);
    const double best = best_of(*answer, goal);
    EXPECT_GE(best, all * (1 - 1e-9));
    EXPECT_GE(all, std::min(answer->open_score, best) * (1 - 1e-9));
    if (all == std::numeric_limits<double>::infinity()) continue;
    if (best < fewest) ++better;
    if (answer->open_score < best) continue;
    ++exact;
    const auto has_parts = [&](const PlannedSubgraph& option) {
      return option.variant.reduction > 1 && goal.score(option.metrics) <= best;
    };
    if (std::ranges::any_of(answer->options, has_parts)) ++in_parts;
    EXPECT_NEAR(best, all, 1e-9 * all);
  }
  EXPECT_GT(better, static_cast<int>(cases / 10));
  EXPECT_GT(exact, static_cast<int>(cases / 2));
  if (cases >= 300) {
    EXPECT_GT(in_parts, 0);
  }
}

}  // namespace
}  // namespace tessera
