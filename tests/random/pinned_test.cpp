// Pinned weights, against every set of them: on small networks and machines no choice of pinned
// weights gives a score below the bound of plan_network(). Plans with pinned weights are no worse
// than those without. They survive their files, and are rejected if their pins are inconsistent.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_pinned_test      repeats one of them
#include "planner/pinned.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "model/pinned.h"
#include "planner/joined.h"
#include "planner/planning.h"
#include "tessera/check.h"
#include "tessera/files.h"
#include "tessera/plan.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

Hardware pinned_machine(Random& random, const Network& network) {
  Hardware h = testing::random_machine(random, {.needed = testing::bytes_of(network),
                                                .least_percent = 40,
                                                .most_percent = 300,
                                                .idle_power = true,
                                                .writes = random.chance(70)});
  const bool writes = !stays_on_chip(h);
  if (random.chance(50))
    h.objective = {.latency = 0.4, .energy = 0.3, .dram_bytes = 0.2, .peak_memory = 0.1};
  if (random.chance(30)) testing::randomize_stored(random, h);
  if (writes && random.chance(30)) testing::add_flash(random, h);
  testing::split_reach(random, h);
  testing::reach_off_chip(random, h);
  if (random.chance(30)) h.dma.weight_slices = 4;
  if (random.chance(40)) h.tiling.early = Early::weights;
  h.tiling.pinned = Pinned::weights;
  return h;
}

/// Weights that may be pinned, if all of them fit together.
std::vector<TensorIndex> weights_of(const Network& network, const Hardware& hardware) {
  const Network all = planner::with_all_pinned(network, hardware);
  std::vector<TensorIndex> found;
  for (TensorIndex t = 0; t < all.tensors.size(); ++t)
    if (all.tensors[t].pinned) found.push_back(t);
  return found;
}

bool has_room(const Hardware& hardware, const std::vector<PlannedPin>& pins) {
  const HardwareMemory& memory = hardware.memories[memory_on_chip(hardware, *pin_memory(hardware))];
  return pins.empty() || pins.back().offset + pins.back().bytes <= memory.space.capacity;
}

void expect_pin_damage_is_seen(const Network& network, const Hardware& hardware, NetworkPlan plan,
                               Random& random) {
  std::vector<PlannedPin>& pins = plan.pinned;
  switch (random.below(6)) {
    case 0:
      pins.pop_back();
      break;
    case 1:
      pins.push_back(pins.front());
      break;
    case 2:
      pins.front().bytes += 1;
      break;
    case 3:
      pins.back().offset += 1 << 20;
      break;
    case 4:
      pins.front().weight = "nothing";
      break;
    default:
      pins.front().memory = "elsewhere";
  }
  ASSERT_FALSE(check_plan(network, hardware, plan).empty());
}

TEST(Pinned, NobodyIsBetterThanTheBound) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(50, 5));
  int planned = 0, pinned = 0, better = 0, proved = 0, tried = 0, beaten = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("TESSERA_CASES=1 TESSERA_SEED=" + std::to_string(seed));
    Random random(seed ^ 0x91abed);
    const Network network =
        testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(2, 4)),
                                       .extent = 8,
                                       .channels = 12,
                                       .views = random.chance(30)});
    const Hardware hardware = pinned_machine(random, network);
    PlanParams params{.tile_shapes = 8, .proof_shapes = 2000};
    if (random.chance(70)) params.max_ops = static_cast<std::size_t>(random.between(1, 2));
    Hardware fetched = hardware;
    fetched.tiling.pinned = Pinned::none;
    const NetworkPlan without = plan_network(network, fetched, params);
    const NetworkPlan plan = plan_network(network, hardware, params);
    ASSERT_EQ(plan.status, without.status);
    if (plan.status != Status::feasible) continue;
    ++planned;
    ASSERT_LE(plan.score, without.score * (1 + 1e-12));
    ASSERT_LE(plan.bound, plan.score * (1 + 1e-12));
    better += plan.score < without.score * (1 - 1e-9) ? 1 : 0;
    pinned += plan.pinned.empty() ? 0 : 1;
    proved += plan.optimal ? 1 : 0;
    EXPECT_TRUE(check_plan(network, hardware, plan).empty());

    const std::string text = plan_json(plan);
    ASSERT_EQ(plan_json(load_plan_text(text, "plan.json", network, hardware)), text);
    if (!plan.pinned.empty()) expect_pin_damage_is_seen(network, hardware, plan, random);

    if (!planner::may_pin(network, hardware)) continue;
    const std::vector<TensorIndex> weights = weights_of(network, hardware);
    if (weights.size() > 4) continue;
    params.reference = plan.reference;
    for (std::uint64_t set = 1; set < std::uint64_t{1} << weights.size(); ++set) {
      std::vector<TensorIndex> some;
      for (std::size_t k = 0; k < weights.size(); ++k)
        if ((set >> k & 1U) != 0) some.push_back(weights[k]);
      const std::vector<PlannedPin> pins = planner::pins_of(network, hardware, some);
      if (!has_room(hardware, pins)) continue;
      const planner::PinnedMachine own = planner::with_pins(network, hardware, pins);
      const NetworkPlan theirs = planner::plan_fully(own.network, own.hardware, params);
      if (theirs.status != Status::feasible) continue;
      ++tried;
      beaten += theirs.score < plan.score * (1 - 1e-9) ? 1 : 0;
      ASSERT_LE(plan.bound, theirs.score * (1 + 1e-9));
    }
  }
  std::cout << planned << " plans, weights are pinned in " << pinned << ", " << better
            << " better for it, " << proved << " proved; " << tried << " random sets, " << beaten
            << " of which score less\n";
  EXPECT_GT(pinned, planned / 10);
  EXPECT_GT(tried, planned);
}

}  // namespace
}  // namespace tessera
