// Partly resident tensors, against arbitrary choices: on random networks and machines, no rows of
// any tensors give the plan's groups, or those of another partition, a score below the bound of
// plan_network(). Plans with such rows are no worse than those without. They survive their files,
// and are rejected if their lists disagree.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_kept_rows_test      repeats one of them
#include "planner/kept_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cost/score.h"
#include "planner/describe.h"
#include "planner/joined.h"
#include "planner/piece.h"
#include "tessera/check.h"
#include "tessera/files.h"
#include "tessera/plan.h"
#include "tests/support/any_partition.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"
#include "tiling/kept_rows.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

Hardware machine(Random& random, const Network& network) {
  Hardware h = testing::random_machine(random, {.needed = testing::bytes_of(network),
                                                .least_percent = 10,
                                                .most_percent = 40,
                                                .idle_power = true,
                                                .banks = random.chance(30)});
  if (random.chance(30))
    h.objective = {.latency = 0.4, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0.1};
  if (random.chance(30)) testing::randomize_stored(random, h);
  testing::split_reach(random, h);
  testing::reach_off_chip(random, h);
  if (random.chance(40)) h.tiling.early = Early::weights;
  h.tiling.stay = Stay::rows;
  return h;
}

/// An arbitrary plan: any partition in any of the known tilings, and any rows of any tensors across
/// its cut points. None if it has no placement.
class Anybody {
 public:
  Anybody(const Network& network, const Hardware& hardware, std::size_t max_ops)
      : network_(network), hardware_(hardware), covers_(network, hardware, max_ops) {}

  std::optional<std::vector<PlannedSubgraph>> runs(Random& random) {
    std::optional<std::vector<PlannedSubgraph>> runs = covers_.runs(random);
    if (!runs) return std::nullopt;
    return with_rows(random, *std::move(runs));
  }

  std::optional<std::vector<PlannedSubgraph>> with_rows(Random& random,
                                                        std::vector<PlannedSubgraph> runs) {
    bool any = false;
    for (const TensorIndex t : tiling::may_stay_in_part(network_, covers_.readers()))
      if (random.chance(60)) any = keep(random, runs, t) || any;
    if (!any || !covers_.finalise(runs)) return std::nullopt;
    return runs;
  }

 private:
  bool keep(Random& random, std::vector<PlannedSubgraph>& runs, TensorIndex t) const {
    const std::string& name = network_.tensors[t].name;
    const PlannedRows rows{name, random.between(1, tiling::rows_in_all(network_.tensors[t]))};
    std::vector<PlannedSubgraph> next = runs;
    bool crosses = false;
    for (PlannedSubgraph& run : next) {
      if (std::ranges::find(run.kept, name) != run.kept.end()) return false;
      const tiling::Subgraph part = tiling::make_subgraph(network_, run.ops, covers_.readers());
      const auto local = std::ranges::find(part.tensors, t, &tiling::LocalTensor::tensor);
      const bool uses = local != part.tensors.end();
      const bool lives = uses ? !local->producer || local->leaves
                              : is_made(run.ops.first, t) && !is_dead(run.ops.last, t);
      if (!lives) continue;
      run.kept_rows.push_back(rows);
      crosses = true;
      try {
        static_cast<void>(planner::make_piece(network_, hardware_, run, covers_.readers()));
      } catch (const std::invalid_argument&) {
        return false;
      }
    }
    if (crosses) runs = std::move(next);
    return crosses;
  }
  [[nodiscard]] bool is_made(OpIndex before, TensorIndex t) const {
    for (OpIndex k = 0; k < before; ++k)
      if (std::ranges::find(network_.ops[k].outputs, t) != network_.ops[k].outputs.end())
        return true;
    return false;
  }
  [[nodiscard]] bool is_dead(OpIndex after, TensorIndex t) const {
    return *covers_.readers()[t] <= after;
  }

  const Network& network_;
  const Hardware& hardware_;
  testing::AnyPartition covers_;
};

void expect_damage_is_seen(const Network& network, const Hardware& hardware, NetworkPlan plan,
                           Random& random) {
  const auto run = std::ranges::find_if(plan.subgraphs,
                                        [](const auto& each) { return !each.kept_rows.empty(); });
  std::vector<PlannedRows>& list = run->kept_rows;
  Hardware own = hardware;
  switch (random.below(6)) {
    case 0:
      list.pop_back();
      break;
    case 1:
      list.push_back(list.front());
      break;
    case 2:
      list.front().rows += 1;
      break;
    case 3:
      list.front().rows += 1'000'000;
      break;
    case 4:
      list.front().tensor = "nothing";
      break;
    default:
      own.tiling.stay = Stay::whole;
  }
  ASSERT_FALSE(check_plan(network, own, plan).empty());
}

bool keeps_rows(const NetworkPlan& plan) {
  return std::ranges::any_of(plan.subgraphs,
                             [](const auto& run) { return !run.kept_rows.empty(); });
}

TEST(KeptRows, NobodyIsBetterThanTheBound) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(100, 8));
  int planned = 0, keeping = 0, tried = 0, on_runs = 0, beaten = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("TESSERA_CASES=1 TESSERA_SEED=" + std::to_string(seed));
    Random random(seed ^ 0x4045);
    const Network network =
        testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(2, 6)),
                                       .extent = 16,
                                       .channels = 8,
                                       .views = random.chance(30)});
    const Hardware hardware = machine(random, network);
    PlanParams params{.tile_shapes = 8};
    if (random.chance(80)) params.max_ops = static_cast<std::size_t>(random.between(1, 2));
    if (stays_on_chip(hardware)) continue;
    Hardware whole = hardware;
    whole.tiling.stay = Stay::whole;
    const NetworkPlan without = plan_network(network, whole, params);
    const NetworkPlan plan = plan_network(network, hardware, params);
    ASSERT_EQ(plan.status, without.status);
    if (plan.status != Status::feasible) continue;
    ++planned;
    ASSERT_LE(plan.score, without.score * (1 + 1e-12));
    ASSERT_LE(plan.bound, plan.score * (1 + 1e-12));
    keeping += keeps_rows(plan) ? 1 : 0;
    for (const std::string& wrong : check_plan(network, hardware, plan)) ADD_FAILURE() << wrong;
    const std::string text = plan_json(plan);
    ASSERT_EQ(plan_json(load_plan_text(text, "plan.json", network, hardware)), text);
    if (keeps_rows(plan)) expect_damage_is_seen(network, hardware, plan, random);

    const Network own = planner::network_of(network, hardware, plan.joined);
    const cost::Score score{plan.weights, cost::in_cycles_of(hardware.clock_hz, plan.reference)};
    Anybody anybody(own, hardware, params.max_ops);
    for (int k = 0; k < 20; ++k) {
      // Of the plan's own groups, without its resident rows, and of others.
      std::vector<PlannedSubgraph> same = without.subgraphs;
      const bool on_same = k < 10 && without.joined == plan.joined;
      const auto theirs = on_same ? anybody.with_rows(random, same) : anybody.runs(random);
      if (!theirs) continue;
      ++tried;
      on_runs += on_same ? 1 : 0;
      const double their = cost::score_of(score, planner::totals_of(*theirs));
      ASSERT_LE(plan.bound, their * (1 + 1e-9));
      beaten += on_same && their < plan.score * (1 - 1e-9) ? 1 : 0;
    }
  }
  std::cout << planned << " plans, rows stay in " << keeping << "; " << tried << " random plans, "
            << on_runs << " of them with our runs, " << beaten << " of which score less\n";
  if (cases >= 20) {
    EXPECT_GT(keeping * 20, planned);
  }
  EXPECT_GT(tried, planned);
}

}  // namespace
}  // namespace tessera
