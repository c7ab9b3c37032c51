// The fewest modes of a plan against exhaustive search. For random networks on random machines with
// tables of modes, every set of modes is tried; for each set, another engine places every subgraph
// from scratch.
//
//   random_plan_modes_test                                    150 plans
//   TESSERA_SEED=17 TESSERA_CASES=1 random_plan_modes_test    repeats one of them
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "model/claim_problem.h"
#include "placer/make_engine.h"
#include "planner/kept_places.h"
#include "planner/modes.h"
#include "planner/piece.h"
#include "tessera/check.h"
#include "tessera/plan.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"

namespace tessera {
namespace {

using testing::bytes_of;
using testing::Random;
using testing::setting;

/// Up to four banks, usually with one mode that allows everything, and some restricted ones.
Hardware random_hardware(Random& random, Size needed) {
  Hardware h = testing::random_machine(
      random, {.needed = needed, .most_percent = 150, .writes = random.chance(75)});
  Memory& memory = h.memories.front().space;
  const std::int64_t banks = random.between(2, 4);
  const Size size = std::max<Size>(8, memory.capacity / banks / 8 * 8);
  memory.capacity = banks * size;
  for (std::int64_t k = 0; k < banks; ++k)
    memory.banks.push_back({.name = "b" + std::to_string(k), .size = size, .roles = {}});
  const std::vector<Role> roles{Role::read_write, Role::read, Role::write,
                                Role::weight,     Role::data, Role::hold};
  const std::int64_t modes = random.between(2, 5);
  for (std::int64_t m = 0; m < modes; ++m) {
    Mode mode{.name = "m" + std::to_string(m), .roles = {}};
    for (std::int64_t k = 0; k < banks; ++k)
      mode.roles.push_back(m == modes - 1 && random.chance(60) ? Role::read_write
                                                               : random.pick(roles));
    memory.modes.push_back(std::move(mode));
  }
  memory.straddle = random.chance(70);
  if (random.chance(40)) h.mode_switch = {.cycles = random.between(0, 20), .energy_pj = 3};
  h.tiling.weights = {WeightPolicy::resident, WeightPolicy::refetch};
  if (random.chance(30)) testing::randomize_stored(random, h);
  testing::reach_off_chip(random, h);
  return h;
}

std::vector<Mode> kept_modes(const Memory& memory, std::uint64_t modes) {
  std::vector<Mode> kept;
  for (std::size_t m = 0; m < memory.modes.size(); ++m)
    if ((modes >> m & 1) != 0) kept.push_back(memory.modes[m]);
  return kept;
}

/// Does every subgraph have a placement with these modes, no higher than in the plan?
bool enough(const Network& network, const Hardware& hardware, const NetworkPlan& plan,
            std::uint64_t modes, bool& decided) {
  if (stays_on_chip(hardware)) {
    Hardware machine = hardware;
    Memory& memory = machine.memories.front().space;
    memory.modes = kept_modes(memory, modes);
    limit_height(memory, std::max<Size>(1, plan.totals.peak_bytes));
    std::vector<PlannedSubgraph> runs = plan.subgraphs;
    planner::PieceStore pieces(network, machine);
    const Status status = planner::settle_kept(pieces, machine, runs, {}).status;
    decided = decided && status != Status::unknown;
    return status == Status::feasible;
  }
  // Resident tensors have one place in all groups.
  std::vector<PlannedSubgraph> runs = plan.subgraphs;
  std::vector<char> tied(runs.size(), 0);
  for (const auto& [first, end] : planner::tied_runs(hardware, plan.subgraphs)) {
    std::fill(tied.begin() + static_cast<std::ptrdiff_t>(first),
              tied.begin() + static_cast<std::ptrdiff_t>(end), 1);
    Hardware machine = hardware;
    Memory& memory = machine.memories.front().space;
    memory.modes = kept_modes(memory, modes);
    limit_height(memory, std::max<Size>(1, plan.totals.peak_bytes));
    planner::PieceStore pieces(network, machine);
    const Status status =
        planner::settle_kept(pieces, machine, std::span(runs).subspan(first, end - first), {})
            .status;
    decided = decided && status != Status::unknown;
    if (status != Status::feasible) return false;
  }
  const std::unique_ptr<engine::PlacementEngine> engine = placer::make_engine("sat");
  for (const PlannedSubgraph& s : plan.subgraphs) {
    if (tied[static_cast<std::size_t>(&s - plan.subgraphs.data())] != 0) continue;
    const planner::Piece piece =
        planner::make_piece(network, hardware, s, tiling::last_readers(network));
    for (std::size_t k = 0; k < piece.demands.size(); ++k) {
      PlacementProblem problem = planner::piece_problem(piece, k);
      Memory& memory = problem.memories.front();
      memory.modes = kept_modes(memory, modes);
      limit_height(memory, std::max<Size>(1, plan.totals.peak_bytes));
      const engine::SearchResult found = engine->solve(problem, {});
      decided = decided && found.status != Status::unknown;
      if (found.status != Status::feasible) return false;
    }
  }
  return true;
}

bool nothing_on_chip(const NetworkPlan& plan) {
  return std::ranges::all_of(plan.subgraphs, [](const PlannedSubgraph& run) {
    return std::ranges::all_of(run.placements, [](const PlannedPlacement& placed) {
      return placed.problem.buffers.empty();
    });
  });
}

TEST(PlanModes, AreAsFewAsOfAllSets) {
  const std::uint64_t first = setting("TESSERA_SEED", 0);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(150, 8));
  int plans = 0, fewer = 0, proved = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Random random(seed);
    const Network network =
        testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(1, 4)),
                                       .extent = 6,
                                       .spatial_only = random.chance(60)});
    const Hardware hardware = random_hardware(random, bytes_of(network));
    const std::string where = "seed " + std::to_string(seed);
    PlanParams params{.tile_shapes = 4, .proof_shapes = 0};
    params.limits.threads = 1;
    const NetworkPlan plain = plan_network(network, hardware, params);
    params.fewest_modes = true;
    const NetworkPlan plan = plan_network(network, hardware, params);
    ASSERT_EQ(plan.status, plain.status) << where;
    if (plan.status != Status::feasible) continue;
    ++plans;
    EXPECT_LE(plan.score, plain.score * (1 + 1e-9)) << where;
    EXPECT_LE(plan.totals.peak_bytes, plain.totals.peak_bytes) << where;
    ASSERT_EQ(plan.objectives.size(), 1) << where;
    const ObjectiveValue& modes = plan.objectives.front();
    EXPECT_EQ(modes.value, planner::modes_in_use(plan.subgraphs)) << where;
    EXPECT_LE(modes.value, planner::modes_in_use(plain.subgraphs)) << where;
    const std::size_t count = hardware.memories.front().space.modes.size();
    auto least = static_cast<std::int64_t>(count);
    // With direct off-chip accesses, no buffer may be on chip.
    if (nothing_on_chip(plain)) least = 0;
    bool decided = true;
    for (std::uint64_t set = 1; set < std::uint64_t{1} << count; ++set)
      if (std::popcount(set) < least && enough(network, hardware, plain, set, decided))
        least = std::popcount(set);
    ASSERT_TRUE(decided) << where;
    // If switches have a cost, the best placements may need more modes.
    EXPECT_LE(modes.bound, least) << where;
    const bool switches_cost =
        hardware.mode_switch.cycles > 0 || hardware.mode_switch.energy_pj > 0;
    if (!switches_cost) {
      EXPECT_EQ(modes.value, least) << where;
      EXPECT_TRUE(modes.proved) << where;
    } else {
      EXPECT_GE(modes.value, least) << where;
    }
    fewer += modes.value < planner::modes_in_use(plain.subgraphs) ? 1 : 0;
    proved += modes.proved ? 1 : 0;
  }
  std::printf("%d plans, %d with fewer modes than before, %d proved\n", plans, fewer, proved);
  if (cases >= 150) {
    EXPECT_GT(plans, 50);
    EXPECT_GT(fewer, 5);
    EXPECT_GE(proved * 10, plans * 9);
  }
}

}  // namespace
}  // namespace tessera
