// Plans against brute force. For random networks on random machines, every group of ops is
// evaluated and each of the 2^(n-1) partitions is scored; the plan has to be as good as the best.
// In addition, no group costs less than its bound.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_plan_test        repeats one of them
#include "tessera/plan.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "cost/grid_bound.h"
#include "cost/group_bound.h"
#include "cost/score.h"
#include "placer/tile_engine.h"
#include "planner/candidates.h"
#include "planner/option.h"
#include "planner/peaks.h"
#include "search/tiles/tile_search.h"
#include "tessera/files.h"
#include "tessera/tile.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"

namespace tessera {
namespace {

using testing::bytes_of;
using testing::Random;
using testing::setting;

Hardware machine(Random& random, Size needed) {
  Hardware h = testing::random_machine(
      random,
      {.needed = needed, .most_percent = 90, .idle_power = true, .startup = true, .banks = true});
  h.objective = {.latency = 0.4, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0.1};
  if (random.chance(30))
    h.objective = {.latency = 0.5, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0};
  if (random.chance(30)) h.dma.weight_slices = random.between(2, 6);
  if (random.chance(25)) testing::add_flash(random, h);
  if (random.chance(40)) testing::randomize_stored(random, h);
  testing::split_reach(random, h);
  testing::reach_off_chip(random, h);
  return h;
}

/// The best of all 2^(ops-1) partitions by enumeration. The options of each group are independent,
/// so each possible peak is tried as the limit for each partition.
class Covers {
 public:
  Covers(const Network& network, planner::Candidates& candidates, const cost::Score& score,
         std::size_t max_ops, double peak_limit)
      : ops_(network.ops.size()), score_(score), max_ops_(max_ops) {
    for (OpIndex first = 0; first < ops_; ++first)
      for (OpIndex last = first; last < ops_ && last - first < max_ops; ++last)
        for (const PlannedSubgraph& s : full_answer(candidates, {first, last}).options)
          if (static_cast<double>(s.metrics.peak_bytes) <= peak_limit)
            options_[{first, last}].push_back(s.metrics);
  }

  [[nodiscard]] double best() const {
    double best = std::numeric_limits<double>::infinity();
    for (std::uint64_t cuts = 0; cuts < (std::uint64_t{1} << (ops_ - 1)); ++cuts)
      best = std::min(best, best_with(cuts));
    return best;
  }

  /// With the maximum effort of a plan.
  static planner::CandidateAnswer full_answer(planner::Candidates& candidates, OpRange ops) {
    auto answer = candidates.answer(ops);
    for (int effort = 1; !answer->final; ++effort) answer = candidates.answer(ops, effort);
    return *answer;
  }

 private:
  [[nodiscard]] double best_with(std::uint64_t cuts) const {
    std::vector<const std::vector<Metrics>*> runs;
    std::set<Size> peaks;
    for (OpIndex first = 0, op = 0; op < ops_; ++op) {
      if (op + 1 < ops_ && (cuts >> op & 1) == 0) continue;
      const auto run = options_.find({first, op});
      if (run == options_.end()) return std::numeric_limits<double>::infinity();
      runs.push_back(&run->second);
      for (const Metrics& m : run->second) peaks.insert(m.peak_bytes);
      first = op + 1;
    }
    double best = std::numeric_limits<double>::infinity();
    for (const Size cap : peaks) {
      double cost = cost::peak_weight(score_) * static_cast<double>(cap);
      for (const std::vector<Metrics>* run : runs) {
        double least = std::numeric_limits<double>::infinity();
        for (const Metrics& m : *run)
          if (m.peak_bytes <= cap) least = std::min(least, cost::additive_score(score_, m));
        cost += least;
      }
      best = std::min(best, cost);
    }
    return best;
  }

  std::size_t ops_;
  const cost::Score& score_;
  std::size_t max_ops_;
  std::map<std::pair<OpIndex, OpIndex>, std::vector<Metrics>> options_;
};

/// No tiling into at least as many tiles as this one is cheaper than its grid bound.
void expect_tiles_sound(const Network& network, const Hardware& hardware, const PlannedSubgraph& s,
                        OpRange ops) {
  const auto readers = tiling::last_readers(network);
  const tiling::Subgraph part = tiling::make_subgraph(network, ops, readers, hardware);
  const tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  if (!geometry.has_volumes()) return;
  const cost::GridBound bound(part, geometry.space(), cost::ChannelUse(network, readers), hardware);
  for (std::int64_t tiles = 1; tiles <= s.tile_count();
       tiles = std::max(tiles + 1, tiles * 3 / 2)) {
    const Metrics least = bound.least(tiles, s.variant);
    ASSERT_LE(least.latency_cycles, s.metrics.latency_cycles) << ops.first << ".." << ops.last;
    ASSERT_LE(least.dram_bytes, s.metrics.dram_bytes) << ops.first << ".." << ops.last;
    ASSERT_LE(least.energy_pj, s.metrics.energy_pj * (1 + 1e-9)) << ops.first << ".." << ops.last;
  }
}

/// No group of the network is cheaper than its bound.
void expect_sound(const Network& network, const Hardware& hardware,
                  planner::Candidates& candidates) {
  cost::GroupBounds bounds(network, hardware);
  for (OpIndex first = 0; first < network.ops.size(); ++first) {
    for (OpIndex last = first; last < network.ops.size(); ++last) {
      const auto answer = candidates.answer({first, last}, 3);
      const Metrics least = bounds.of(first, last);
      for (const PlannedSubgraph& s : answer->options) {
        ASSERT_LE(least.latency_cycles, s.metrics.latency_cycles) << first << ".." << last;
        ASSERT_LE(least.dram_bytes, s.metrics.dram_bytes) << first << ".." << last;
        ASSERT_LE(least.energy_pj, s.metrics.energy_pj * (1 + 1e-9)) << first << ".." << last;
        expect_tiles_sound(network, hardware, s, {first, last});
      }
    }
  }
}

/// Each variant's tile equals the result of a search of that variant alone. A rare tile exceeds the
/// effort of any plan; without a limit one of them took minutes. Returns the number of comparisons.
int expect_best_tiles(const Network& network, const Hardware& hardware,
                      planner::Candidates& candidates) {
  int compared = 0;
  const std::unique_ptr<engine::PlacementEngine> engine = placer::tile_engine(hardware);
  for (OpIndex first = 0; first < network.ops.size(); ++first)
    for (OpIndex last = first; last < std::min(network.ops.size(), first + 4); ++last) {
      const planner::CandidateAnswer answer = Covers::full_answer(candidates, {first, last});
      const tiling::Subgraph part =
          tiling::make_subgraph(network, {first, last}, tiling::last_readers(network), hardware);
      for (const TileVariant& v : planner::lowering_variants(part, hardware)) {
        const search::TileSearchResult found = search::find_tile(
            part, hardware,
            {.options = v, .engine = engine.get(), .nodes_per_question = nodes_per_plan_question});
        if (found.status == Status::unknown || !found.undecided.empty()) continue;
        ++compared;
        const auto option = std::ranges::find_if(
            answer.options, [&](const PlannedSubgraph& s) { return s.variant == v; });
        if (option != answer.options.end()) {
          EXPECT_EQ(found.status, Status::feasible) << first << ".." << last;
          EXPECT_EQ(found.shape.extent, option->extent) << first << ".." << last;
        } else if (found.status == Status::feasible) {  // omitted only if there is a single tile
          EXPECT_TRUE(v.double_buffer);
          EXPECT_TRUE(std::ranges::any_of(answer.options, [](const PlannedSubgraph& s) {
            return !s.variant.double_buffer && s.tile_count() == 1;
          }));
        }
      }
    }
  return compared;
}

void expect_reads_back(const Network& network, const Hardware& hardware, const NetworkPlan& plan) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("tessera-plan-test-" + std::to_string(::getpid()) + ".json");
  write_output(file.string(), plan_json(plan));
  const NetworkPlan same = load_plan(file.string(), network, hardware);
  std::filesystem::remove(file);
  EXPECT_EQ(plan_json(same), plan_json(plan));
  EXPECT_TRUE(check_plan(network, hardware, same).empty());
}

/// Each case needs one or several plans: minutes under a sanitizer.
std::uint64_t few(std::size_t cases) {
  return testing::effort((cases + 1) / 2, 4);
}

TEST(Plan, IsAsGoodAsTheBestOfAllCovers) {
  const std::uint64_t first_seed = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", few(30));
  int planned = 0;
  int compared = 0;
  std::uint64_t unproved = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    SCOPED_TRACE("repeat with TESSERA_SEED=" + std::to_string(seed) +
                 " TESSERA_CASES=1 random_plan_test");
    Random random(seed ^ 0x91a5);
    const Network network =
        testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(1, 9)),
                                       .extent = 6,
                                       .channels = 3,
                                       .views = true,
                                       .spatial_only = random.chance(60)});
    const Hardware hardware = machine(random, bytes_of(network));
    PlanParams params{.tile_shapes = 0, .residency = false};
    if (random.chance(30)) params.max_ops = static_cast<std::size_t>(random.between(1, 4));
    params.limits.threads = static_cast<int>(random.between(1, 2));
    double peak_limit = std::numeric_limits<double>::infinity();
    if (random.chance(30)) {
      peak_limit =
          static_cast<double>(std::max<Size>(1, bytes_of(network) * random.between(10, 80) / 100));
      params.peak_limits.emplace_back("peak_memory", peak_limit);
    }
    NetworkPlan plan = plan_network(network, hardware, params);

    planner::Candidates candidates(network, hardware, {.seed = params.limits.seed},
                                   make_plan_memory());
    expect_sound(network, hardware, candidates);
    if (network.ops.size() <= 6) compared += expect_best_tiles(network, hardware, candidates);
    if (::testing::Test::HasFailure()) return;
    const cost::Score score{plan.weights, plan.baseline};
    // Smaller tiles, not only fewer groups, satisfy a limit on the peak.
    const Hardware within = planner::machine_within(hardware, planner::peak_limits_of(params));
    planner::Candidates limited(network, within, {.seed = params.limits.seed}, make_plan_memory());
    const double best = Covers(network, limited, score, params.max_ops, peak_limit).best();
    if (plan.status != Status::feasible) {
      // Some op fits in no tile, or no partition satisfies the limit.
      ASSERT_EQ(plan.status, Status::infeasible);
      ASSERT_FALSE(plan.reason.empty());
      bool alone = false;
      for (OpIndex op = 0; op < network.ops.size(); ++op)
        alone = alone || Covers::full_answer(candidates, {op, op}).options.empty();
      ASSERT_TRUE(alone || best == std::numeric_limits<double>::infinity());
      continue;
    }
    ++planned;
    if (!plan.optimal) {  // some tile stayed undecided at maximum effort
      ++unproved;
      ASSERT_GT(plan.search.unknown, 0);
      ASSERT_LE(plan.bound, best * (1 + 1e-9));
      continue;
    }
    ASSERT_NEAR(plan.score, best, 1e-9 * std::max(1.0, best));
    if (params.peak_limits.empty()) {
      ASSERT_LE(plan.score, 1 + 1e-9);
    }
    ASSERT_LE(static_cast<double>(plan.totals.peak_bytes), peak_limit);
    expect_reads_back(network, hardware, plan);
    params.tile_shapes = random.between(1, 40);
    params.residency = random.chance(50);
    NetworkPlan cheaper = plan_network(network, hardware, params);
    ASSERT_EQ(cheaper.status, Status::feasible);
    ASSERT_LE(cheaper.score, plan.score * (1 + 1e-9));
    ASSERT_LE(static_cast<double>(cheaper.totals.peak_bytes), peak_limit);
    expect_reads_back(network, hardware, cheaper);
    plan = std::move(cheaper);
    if (seed % 10 == 0) {
      params.limits.threads = 3;
      NetworkPlan again = plan_network(network, hardware, params);
      again.search.seconds = plan.search.seconds;
      ASSERT_EQ(plan_json(again), plan_json(plan)) << "threads change the plan";
    }
  }
  EXPECT_GT(planned, static_cast<int>(cases / 4));
  EXPECT_LE(unproved, 1 + cases / 100);
  if (cases >= 20) {
    EXPECT_GT(compared, static_cast<int>(cases));
  }
}

/// One tile of the op fills the memory; under the limit it takes several.
TEST(Plan, ALimitOnThePeakMakesTilesSmaller) {
  Network network;
  for (const char* name : {"x", "y"})
    network.tensors.push_back({.name = name,
                               .shape = {1, 4, 16, 16},
                               .type = ElementType::int8,
                               .kind = TensorKind::activation,
                               .view_of = std::nullopt});
  Op op;
  op.name = "relu";
  op.kind = OpKind::elementwise;
  op.function = "relu";
  op.inputs = {0};
  op.outputs = {1};
  network.ops = {op};
  network.inputs = {0};
  network.outputs = {1};
  Random random(1);
  Hardware hardware = machine(random, 4096);
  hardware.memories[0].space = {.name = "sram", .capacity = 2048};
  const NetworkPlan whole = plan_network(network, hardware, {.tile_shapes = 0});
  EXPECT_EQ(whole.totals.peak_bytes, 2048);
  const NetworkPlan half =
      plan_network(network, hardware, {.peak_limits = {{"peak_memory", 1100}}});
  ASSERT_EQ(half.status, Status::feasible);
  EXPECT_LE(half.totals.peak_bytes, 1100);
  EXPECT_GT(half.subgraphs.front().tile_count(), whole.subgraphs.front().tile_count());
  EXPECT_EQ(half.baseline, whole.baseline);
  const NetworkPlan none = plan_network(network, hardware, {.peak_limits = {{"peak_memory", 1}}});
  EXPECT_EQ(none.status, Status::infeasible);
  EXPECT_EQ(none.reason,
            "within the limit of peak_memory, op 'relu' (elementwise) does not fit into the memory "
            "of random with any tile: its smallest tile needs 1 byte more than available");
}

/// A cache filled with another capacity changes no plan: reused results equal new ones. (Peaks may
/// differ, since placements come from other searches: their weight is 0.)
TEST(Plan, OtherCapacitiesInMemoryChangeNothing) {
  const std::uint64_t first_seed = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", few(40));
  std::int64_t carried = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    SCOPED_TRACE("repeat with TESSERA_SEED=" + std::to_string(seed));
    Random random(seed ^ 0xca9ac);
    const Network network = testing::random_network(
        seed, {.ops = static_cast<std::size_t>(random.between(2, 6)), .extent = 8, .channels = 4});
    Hardware hardware = machine(random, bytes_of(network));
    for (HardwareMemory& memory : hardware.memories) {
      memory.space.banks.clear();
      memory.space.modes.clear();
      hardware.mode_switch = {};
    }
    hardware.objective = {.latency = 0.5, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0};
    PlanParams params;
    params.memory = make_plan_memory();
    for (int round = 0; round < 4; ++round) {
      for (HardwareMemory& memory : hardware.memories)
        if (!memory.offchip)
          memory.space.capacity =
              std::max<Size>(16, bytes_of(network) * random.between(10, 110) / 100 / 4 * 4);
      const NetworkPlan plan = plan_network(network, hardware, params);
      PlanParams alone = params;
      alone.memory = nullptr;
      const NetworkPlan fresh = plan_network(network, hardware, alone);
      ASSERT_EQ(plan.status, fresh.status);
      if (plan.status != Status::feasible) {
        ASSERT_EQ(plan.reason, fresh.reason);
        continue;
      }
      ASSERT_EQ(plan.optimal, fresh.optimal);
      ASSERT_NEAR(plan.score, fresh.score, 1e-12);
      carried += plan.search.reused - fresh.search.reused;
    }
  }
  EXPECT_GT(carried, static_cast<std::int64_t>(cases));
}

/// A cache filled by other queries: other weights, shorter groups, fewer shapes.
TEST(Plan, OtherQuestionsInMemoryChangeNothing) {
  const std::uint64_t first_seed = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", few(40));
  for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    SCOPED_TRACE("repeat with TESSERA_SEED=" + std::to_string(seed) + " TESSERA_CASES=1");
    Random random(seed ^ 0x70a3);
    // Few structures, repeated often.
    Network network = testing::random_network(
        seed, {.ops = 3, .extent = 6, .channels = 3, .spatial_only = random.chance(60)});
    const Hardware hardware = machine(random, bytes_of(network));
    const auto memory = make_plan_memory();
    for (int question = 0; question < 4; ++question) {
      PlanParams params;
      params.max_ops = static_cast<std::size_t>(random.between(1, 3));
      params.tile_shapes = random.chance(50) ? 8 : 16;
      const bool peak = random.chance(60);
      params.weights = {
          {"latency", 1}, {"energy", 0}, {"dram_bytes", 0}, {"peak_memory", peak ? 1 : 0}};
      const NetworkPlan fresh = plan_network(network, hardware, params);
      params.memory = memory;
      const NetworkPlan known = plan_network(network, hardware, params);
      ASSERT_EQ(known.status, fresh.status);
      ASSERT_EQ(known.totals, fresh.totals) << "question " << question;
      ASSERT_EQ(known.score, fresh.score);
    }
  }
}

}  // namespace
}  // namespace tessera
