#include "planner/walk.h"

#include <gtest/gtest.h>

#include <numeric>

#include "cost/transfer.h"
#include "planner/chart.h"
#include "tessera/network_shapes.h"
#include "tessera/plan.h"
#include "tests/support/effort.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"

namespace tessera::planner {
namespace {

constexpr std::uint64_t cases = testing::quick ? 30 : 6;

struct RandomPlan {
  RandomPlan(std::uint64_t seed, testing::MachineWish wish)
      : network(testing::random_network(seed, {.ops = 5, .extent = 24, .channels = 8})) {
    testing::Random random(seed);
    wish.needed += testing::bytes_of(network);
    hardware = testing::random_machine(random, wish);
    plan =
        plan_network(network, hardware, {.tile_shapes = seed % 2 == 0 ? 0 : 64, .proof_shapes = 0});
  }
  Network network;
  Hardware hardware;
  NetworkPlan plan;
};

/// However few events are kept of each run, what is moved and taken in all windows is what the plan
/// costs; with all of them no window has more than the bus can carry.
TEST(PlanWalk, WindowsAddUpToThePlan) {
  std::size_t plans = 0;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto& [network, hardware, plan] = RandomPlan(seed, {.idle_power = true});
    if (plan.status != Status::feasible) continue;
    ++plans;
    const cost::Link link = cost::links_of(hardware).data;  // there is one
    for (const std::int64_t events : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1'000'000}}) {
      Windows windows(plan.totals.latency_cycles, 97);
      walk_plan(network, hardware, plan, events,
                [&](const SimulatedRun& run) { windows.add(run); });
      const auto sum = [](const std::vector<double>& of) {
        return std::accumulate(of.begin(), of.end(), 0.0);
      };
      const auto bytes = static_cast<double>(plan.totals.dram_bytes);
      EXPECT_NEAR(sum(windows.read) + sum(windows.written), bytes, 1e-6 * bytes + 1e-6) << seed;
      EXPECT_NEAR(sum(windows.energy), plan.totals.energy_pj, 1e-6 * plan.totals.energy_pj + 1e-6)
          << seed;
      if (events < 1'000'000) continue;
      for (std::size_t k = 0; k < windows.read.size(); ++k) {
        const double reading = windows.read[k] / windows.width / link.read.bytes_per_cycle;
        const double writing = windows.written[k] / windows.width / link.write.bytes_per_cycle;
        if (link.two_ways) {
          EXPECT_LE(reading, 1.0001) << seed;
          EXPECT_LE(writing, 1.0001) << seed;
        } else {
          EXPECT_LE(reading + writing, 1.0001) << seed << " window " << k;
        }
      }
    }
  }
  EXPECT_GT(plans, cases / 3);
}

/// Nothing that is drawn at one time in one memory shares a byte.
TEST(PlanWalk, BoxesOnTheChipAreApart) {
  std::size_t boxes = 0;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto& [network, hardware, plan] =
        RandomPlan(seed, {.banks = true, .writes = seed % 3 != 0});
    if (plan.status != Status::feasible) continue;
    const io::PlanChart chart = plan_chart(network, hardware, plan);
    ASSERT_EQ(chart.runs.size(), plan.subgraphs.size());
    EXPECT_DOUBLE_EQ(chart.runs.back().end, chart.cycles);
    for (const io::ChartMemory& memory : chart.memories) {
      boxes += memory.buffers.size();
      for (const io::ChartBuffer& box : memory.buffers) {
        EXPECT_LE(box.begin, box.end) << seed;
        EXPECT_LE(box.end, chart.cycles * (1 + 1e-9)) << seed;
        EXPECT_LE(box.bytes.end, memory.space.capacity) << seed;
        if (memory.offchip) continue;
        for (const io::ChartBuffer& other : memory.buffers) {
          if (&box == &other) break;
          const double together = std::min(box.end, other.end) - std::max(box.begin, other.begin);
          EXPECT_FALSE(together > 1e-6 * chart.cycles && box.bytes.begin < other.bytes.end &&
                       other.bytes.begin < box.bytes.end)
              << seed << ": " << box.name << " and " << other.name;
        }
      }
    }
  }
  EXPECT_GT(boxes, 100 * cases / 30);
}

}  // namespace
}  // namespace tessera::planner
