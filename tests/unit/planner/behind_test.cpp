#include "planner/behind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/hardware_yaml.h"
#include "io/network_yaml.h"
#include "model/random.h"
#include "tessera/check.h"
#include "tessera/plan.h"
#include "tessera/profile.h"
#include "tests/support/effort.h"
#include "tests/support/paths.h"

namespace tessera::planner {
namespace {

Hardware machine(Size front, const std::string& ram = "bandwidth: 1 B/cycle, latency: 10") {
  return io::read_hardware_yaml(
      "tessera: hardware/1\nname: m\nclock: 1 GHz\n"
      "engines: {mac: {kind: mac_array, unroll: {K: 4, C: 4}}}\n"
      "memories:\n  l1: {capacity: 64 KiB}\n"
      "  l2: {offchip: true, capacity: " +
          std::to_string(front) +
          ", bandwidth: 8 B/cycle, energy: 2 pJ/B}\n"
          "  ram: {offchip: true, behind: l2, burst: 4 B, energy: 50 pJ/B, " +
          ram + "}\nobjective: {latency: 1}\n",
      "m.yaml");
}

/// A chain of products of one row; `widths` are their input and output widths.
Network chain(const std::vector<Dim>& widths) {
  std::string ops;
  for (std::size_t k = 1; k < widths.size(); ++k)
    ops += "  - {name: m" + std::to_string(k) + ", type: matmul, inputs: [" +
           (k == 1 ? "x" : "t" + std::to_string(k - 1)) + "], output: t" + std::to_string(k) +
           ", weights: {shape: [" + std::to_string(widths[k - 1]) + ", " +
           std::to_string(widths[k]) + "]}}\n";
  return io::read_network_yaml("tessera: network/1\nname: n\ntensors: {x: {shape: [1, " +
                                   std::to_string(widths[0]) +
                                   "], dtype: int8}}\ninputs: [x]\nops:\n" + ops + "outputs: [t" +
                                   std::to_string(widths.size() - 1) + "]\n",
                               "n.yaml")
      .network;
}

PlanParams params_of(std::size_t max_ops) {
  PlanParams params;
  params.max_ops = max_ops;
  params.limits.threads = 1;
  return params;
}

TEST(PlanBehind, WithRoomForAllWeightsNothingComes) {
  const Network network = chain({40, 40, 40});
  const Hardware hardware = machine(8192);
  const NetworkPlan plan = plan_network(network, hardware, params_of(1));
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_EQ(plan.behind.memory, "ram");
  EXPECT_EQ(plan.behind.resident.size(), 2U);
  EXPECT_TRUE(plan.behind.fetches.empty());
  EXPECT_EQ(plan.behind.waiting_cycles, 0);
  EXPECT_EQ(check_plan(network, hardware, plan), std::vector<std::string>{});
}

/// One group, no weights: the backing memory is empty.
TEST(PlanBehind, NothingComesWhereNothingHasWeights) {
  const Network network = io::read_network_yaml(
                              "tessera: network/1\nname: n\n"
                              "tensors: {x: {shape: [1, 4, 8, 8], dtype: int8}}\ninputs: [x]\n"
                              "ops:\n  - {name: r, type: relu, inputs: [x], output: y}\n"
                              "outputs: [y]\n",
                              "n.yaml")
                              .network;
  Hardware hardware = machine(8192);
  hardware.engines.push_back({.name = "vec", .kind = EngineKind::vector});
  const NetworkPlan plan = plan_network(network, hardware, params_of(1));
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_TRUE(plan.behind.fetches.empty());
  EXPECT_EQ(plan.behind.waiting_cycles, 0);
  EXPECT_EQ(check_plan(network, hardware, plan), std::vector<std::string>{});
}

TEST(PlanBehind, WhatHasNoRoomPasses) {
  const Network network = chain({64, 64, 200, 64, 32});
  int passed = 0;
  for (const Size front : {4096, 8192, 13'000, 15'000, 20'000, 30'000}) {
    const Hardware hardware = machine(front);
    const NetworkPlan plan = plan_network(network, hardware, params_of(1));
    ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
    EXPECT_EQ(check_plan(network, hardware, plan), std::vector<std::string>{});
    for (const PlannedFetch& fetch : plan.behind.fetches) passed += fetch.passes ? 1 : 0;
    Metrics runs;
    for (const PlannedSubgraph& run : plan.subgraphs)
      runs.latency_cycles += run.metrics.latency_cycles;
    EXPECT_EQ(runs.latency_cycles + plan.behind.waiting_cycles, plan.totals.latency_cycles);
    for (const OffchipMemory& memory : plan.offchip) EXPECT_LE(memory.height, front);
  }
  EXPECT_GT(passed, 3);
}

TEST(PlanBehind, ChangesAreFound) {
  const Network network = chain({64, 64, 200, 64, 32});
  const Hardware hardware = machine(15'000);
  const NetworkPlan plan = plan_network(network, hardware, params_of(1));
  ASSERT_EQ(check_plan(network, hardware, plan), std::vector<std::string>{});
  ASSERT_GE(plan.behind.fetches.size(), 2U);
  const auto refused = [&](auto change) {
    NetworkPlan other = plan;
    change(other.behind);
    return !check_plan(network, hardware, other).empty();
  };
  EXPECT_TRUE(refused([](PlannedBehind& way) { way = {}; }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.memory = "l2"; }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { ++way.waiting_cycles; }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.energy_pj *= 1.001; }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.fetches.pop_back(); }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.fetches.push_back(way.fetches.back()); }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.resident.push_back("nobody"); }));
  EXPECT_TRUE(refused([](PlannedBehind& way) {
    way.resident.push_back(way.fetches.back().tensor);
    way.fetches.pop_back();
  }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { --way.fetches.back().end; }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { ++way.begins.back(); }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { --way.fetches.back().room; }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.fetches.back().tensor = "x"; }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.fetches.back().subgraph = 99; }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.fetches.back().passes ^= true; }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { std::ranges::reverse(way.fetches); }));
}

/// Regression: without a list of places, the checker did not require places.
TEST(PlanBehind, WithoutPlacesThereHaveToBeSome) {
  const Network network = chain({64, 64, 200, 64, 32});
  const Hardware hardware = machine(15'000);
  NetworkPlan plan = plan_network(network, hardware, params_of(1));
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  plan.offchip.clear();
  EXPECT_EQ(check_plan(network, hardware, plan), std::vector<std::string>{});
  for (const PlannedFetch& fetch : plan.behind.fetches)
    if (fetch.at == 0) plan.behind.resident.push_back(fetch.tensor);
  plan.behind.fetches.clear();
  complete(network, hardware, plan.subgraphs, behind_uses(network, hardware, plan.subgraphs),
           plan.behind);
  const std::vector<std::string> wrong = check_plan(network, hardware, plan);
  ASSERT_FALSE(wrong.empty());
  EXPECT_NE(wrong.front().find("no space for all the buffers that `behind` stores"),
            std::string::npos)
      << wrong.front();
}

/// Regression: one long group needs more at once than the memory has.
TEST(PlanBehind, ShorterRunsHaveRoomWhereLongOnesDoNot) {
  const Network network = chain({64, 64, 200, 64, 32});
  const PlanParams all = params_of(8);
  for (const Size front : {3000, 4096, 8192, 13'000}) {
    const Hardware hardware = machine(front);
    const NetworkPlan shorter = plan_network(network, hardware, params_of(1));
    const NetworkPlan plan = plan_network(network, hardware, all);
    if (shorter.status != Status::feasible) continue;
    ASSERT_EQ(plan.status, Status::feasible) << front << ": " << plan.reason;
    EXPECT_LE(plan.score, shorter.score * 1.01) << front;  // smaller peaks are tried there
    EXPECT_LE(plan.bound, plan.score);
  }
}

/// Waiting cycles of the best alternative without transient data, out of all; none if there is
/// none.
std::optional<std::int64_t> best_of_all(const Network& network, const Hardware& hardware,
                                        const std::vector<PlannedSubgraph>& runs,
                                        std::vector<BehindUse> uses,
                                        const std::vector<Size>& room) {
  std::erase_if(uses, [](const BehindUse& use) { return !use.weight; });
  std::optional<std::int64_t> best;
  // Per weight: resident, or the group from which it is fetched.
  std::vector<std::size_t> at(uses.size(), 0);
  while (true) {
    std::vector<Size> left = room;
    PlannedBehind way;
    for (std::size_t w = 0; w < uses.size(); ++w) {
      const std::string& name = network.tensors[uses[w].tensor].name;
      const bool resident = at[w] == 0;
      if (resident)
        way.resident.push_back(name);
      else
        way.fetches.push_back(
            {.tensor = name, .from = at[w] - 1, .subgraph = uses[w].first(), .room = uses[w].size});
      for (std::size_t run = resident ? 0 : at[w] - 1;
           run <= (resident ? runs.size() - 1 : uses[w].last()); ++run)
        left[run] -= uses[w].size;
    }
    if (std::ranges::none_of(left, [](Size size) { return size < 0; })) {
      complete(network, hardware, runs, uses, way);
      if (!best || way.waiting_cycles < *best) best = way.waiting_cycles;
    }
    std::size_t w = 0;
    for (; w < uses.size() && ++at[w] > uses[w].first() + 1; ++w) at[w] = 0;
    if (w == uses.size()) return best;
  }
}

/// If all weights come whole (they are short here), no alternative is better than the optimum, and
/// few are worse.
TEST(PlanBehind, WaysAreNearlyTheBestOfAll) {
  int asked = 0;
  int best = 0;
  double sum = 0;
  double sum_of_best = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    std::vector<Dim> widths;
    for (std::int64_t k = random.between(3, 6); k > 0; --k) widths.push_back(random.between(4, 16));
    const Network network = chain(widths);
    const Hardware hardware = machine(100'000);
    std::vector<PlannedSubgraph> runs;
    for (OpIndex op = 0; op < network.ops.size(); ++op) {
      PlannedSubgraph& run = runs.emplace_back();
      run.ops = {op, op};
      run.extent = {widths[op + 1], 1, 1};
      run.metrics.latency_cycles = random.between(10, 2000);
    }
    const std::vector<BehindUse> uses = behind_uses(network, hardware, runs);
    ASSERT_EQ(uses.size(), 2 * network.ops.size() - 1);  // and tensors across cut points
    Size largest = 0;
    Size all = 0;
    for (const BehindUse& use : uses) {
      if (!use.weight) continue;
      largest = std::max(largest, use.size);
      all += use.size;
    }
    const std::vector<Size> room(runs.size(), random.between(largest, all));
    const std::vector<PlannedBehind> ways =
        ways_behind(network, hardware, runs, uses, [&](auto) { return room; });
    ASSERT_FALSE(ways.empty());
    const std::optional<std::int64_t> least = best_of_all(network, hardware, runs, uses, room);
    ASSERT_TRUE(least);
    ASSERT_GE(ways.front().waiting_cycles, *least) << seed;
    ++asked;
    best += ways.front().waiting_cycles == *least ? 1 : 0;
    sum += static_cast<double>(ways.front().waiting_cycles);
    sum_of_best += static_cast<double>(*least);
  }
  RecordProperty("best", best);
  EXPECT_GE(best, asked * 9 / 10);
  EXPECT_LE(sum, sum_of_best * 1.03);
}

/// Data that fits as a whole may be transient, too, if others are then resident or arrive in time.
TEST(PlanBehind, MoreRoomInFrontIsNotWaitedFor) {
  if (!testing::quick) GTEST_SKIP() << "six plans, and nothing that other tests do not call";
  const Network network = io::read_network_yaml(R"(tessera: network/1
name: heavy
tensors: {x: {shape: [1, 64, 16, 16], dtype: int8}}
inputs: [x]
ops:
  - {name: c1, type: conv, inputs: [x], output: t1, weights: {shape: [64, 64, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: c2, type: conv, inputs: [t1], output: t2, weights: {shape: [128, 64, 3, 3]}, pad: [1, 1, 1, 1], stride: [2, 2]}
  - {name: c3, type: conv, inputs: [t2], output: t3, weights: {shape: [128, 128, 3, 3]}, pad: [1, 1, 1, 1]}
  - {name: p3, type: max_pool, inputs: [t3], output: t4, kernel: [2, 2], stride: [2, 2]}
  - {name: c4, type: conv, inputs: [t4], output: t5, weights: {shape: [64, 128, 1, 1]}}
  - {name: c5, type: conv, inputs: [t5], output: y, weights: {shape: [256, 64, 3, 3]}, pad: [1, 1, 1, 1]}
outputs: [y]
)",
                                                "heavy.yaml")
                              .network;
  Profile profile("gap9-ram-like", {testing::source_path("hw_profiles").string()});
  PlanParams params{.tile_shapes = 0, .memory = make_plan_memory()};
  double before = std::numeric_limits<double>::infinity();
  int whole = 0;
  for (const char* front : {"96 KiB", "128 KiB", "160 KiB", "192 KiB", "224 KiB", "256 KiB"}) {
    profile.set({{"memories.dram.capacity", front}});
    const NetworkPlan plan = plan_network(network, profile.hardware(), params);
    ASSERT_EQ(plan.status, Status::feasible) << front;
    EXPECT_LE(plan.score, before * (1 + 1e-9)) << front;
    before = plan.score;
    for (const PlannedFetch& fetch : plan.behind.fetches) whole += fetch.passes ? 0 : 1;
  }
  EXPECT_GT(whole, 3);
}

/// A tensor between two ops that does not fit into the memory before the backing memory.
TEST(PlanBehind, TensorsWithoutRoomInFrontLieBehind) {
  const Network network = io::read_network_yaml(R"(tessera: network/1
name: n
tensors: {x: {shape: [1, 1, 16, 16], dtype: int8}}
inputs: [x]
ops:
  - {name: wide, type: conv, inputs: [x], output: t, weights: {shape: [512, 1, 1, 1]}}
  - {name: narrow, type: conv, inputs: [t], output: y, weights: {shape: [1, 512, 1, 1]}}
outputs: [y]
)",
                                                "n.yaml")
                              .network;
  const Hardware hardware = machine(40'000);
  const NetworkPlan plan = plan_network(network, hardware, params_of(1));
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_EQ(check_plan(network, hardware, plan), std::vector<std::string>{});
  ASSERT_EQ(plan.behind.away, std::vector<std::string>{"t"});
  // Made by one group, read by the next.
  std::vector<PlannedFetch> passing;
  for (const PlannedFetch& fetch : plan.behind.fetches)
    if (fetch.tensor == "t") passing.push_back(fetch);
  ASSERT_EQ(passing.size(), 2U);
  EXPECT_TRUE(passing[0].writes && passing[0].passes);
  EXPECT_TRUE(!passing[1].writes && passing[1].passes);
  EXPECT_LE(passing[0].end, passing[1].begin);
  EXPECT_GE(passing[0].bytes, 512 * 256);
  // It has a place there, beside all weights.
  ASSERT_EQ(plan.offchip.size(), 2U);
  EXPECT_EQ(plan.offchip[1].memory, "ram");
  ASSERT_EQ(plan.offchip[1].buffers.size(), 2U);
  EXPECT_TRUE(plan.offchip[1].buffers[0].weights);
  EXPECT_EQ(plan.offchip[1].buffers[1].id, "t");
  EXPECT_GE(plan.offchip[1].height, 512 * 256 + 1024);

  const auto refused = [&](auto change) {
    NetworkPlan other = plan;
    change(other.behind);
    return !check_plan(network, hardware, other).empty();
  };
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.away.clear(); }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.away.push_back("t"); }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.away.front() = "x"; }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.away.push_back("y"); }));
  EXPECT_TRUE(refused([](PlannedBehind& way) { way.resident.push_back("t"); }));
  const auto at = [](PlannedBehind& way, bool writes) -> PlannedFetch& {
    return *std::ranges::find_if(way.fetches, [&](const PlannedFetch& fetch) {
      return fetch.tensor == "t" && fetch.writes == writes;
    });
  };
  for (const bool writes : {false, true}) {
    EXPECT_TRUE(refused([&](PlannedBehind& way) { at(way, writes).writes ^= true; }));
    EXPECT_TRUE(refused([&](PlannedBehind& way) { at(way, writes).passes = false; }));
    EXPECT_TRUE(refused([&](PlannedBehind& way) { ++at(way, writes).bytes; }));
    EXPECT_TRUE(refused([&](PlannedBehind& way) { --at(way, writes).room; }));
    EXPECT_TRUE(refused(
        [&](PlannedBehind& way) { std::erase(way.fetches, PlannedFetch(at(way, writes))); }));
  }
  NetworkPlan moved = plan;
  moved.offchip[1].buffers[1].offset = moved.offchip[1].buffers[0].offset;
  EXPECT_FALSE(check_plan(network, hardware, moved).empty());
  moved = plan;
  moved.offchip.pop_back();
  EXPECT_FALSE(check_plan(network, hardware, moved).empty());

  // A read-only memory holds no tensor, and a memory that is too small holds only weights.
  for (const char* ram :
       {"bandwidth: 1 B/cycle, writable: false", "bandwidth: 1 B/cycle, capacity: 130000"}) {
    const NetworkPlan none = plan_network(network, machine(40'000, ram), params_of(1));
    EXPECT_EQ(none.status, Status::unknown) << ram;
    EXPECT_TRUE(none.subgraphs.empty());
  }
}

/// All data may be transient: does a placement exist?
TEST(PlanBehind, WhereAnythingFitsAWayIsFound) {
  int fits = 0;
  int found = 0;
  int away = 0;
  const int cases = static_cast<int>(testing::effort(300));
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(cases); ++seed) {
    Random random(seed);
    std::vector<Dim> widths;
    for (std::int64_t k = random.between(2, 3) * 2 - 1; k > 0; --k)
      widths.push_back(k % 2 == 0 ? random.between(600, 4000) : random.between(1, 4));
    const Network network = chain(widths);
    const Hardware hardware = machine(100'000);
    std::vector<PlannedSubgraph> runs;
    for (OpIndex op = 0; op < network.ops.size(); ++op) {
      PlannedSubgraph& run = runs.emplace_back();
      run.ops = {op, op};
      run.extent = {std::max<Dim>(1, widths[op + 1] / random.between(1, 40)), 1, 1};
      run.counts = {(widths[op + 1] + run.extent[0] - 1) / run.extent[0], 1, 1};
      run.metrics.latency_cycles = random.between(10, 2000);
    }
    const std::vector<BehindUse> uses = behind_uses(network, hardware, runs);
    const Size all = random.between(500, 9000);
    const auto room = [&](std::span<const TensorIndex> behind) {
      std::vector<Size> left(runs.size(), all);
      for (std::size_t run = 0; run < runs.size(); ++run)
        for (const TensorIndex t :
             {network.ops[run].inputs.front(), network.ops[run].outputs.front()})
          if (std::ranges::find(behind, t) == behind.end())
            left[run] -= tensor_bytes(network.tensors[t]);
      return left;
    };
    // All subsets of transient data.
    bool any = false;
    for (std::size_t some = 0; some < std::size_t{1} << uses.size() && !any; ++some) {
      std::vector<TensorIndex> behind;
      for (std::size_t k = 0; k < uses.size(); ++k)
        if ((some >> k & 1) != 0 && !uses[k].weight) behind.push_back(uses[k].tensor);
      std::vector<Size> left = room(behind);
      for (std::size_t k = 0; k < uses.size(); ++k)
        for (const BehindUse::Pass& pass : uses[k].passes) {
          // One copy of a part takes less memory than two, unless it comes in smaller parts.
          const int copies = pass.stage(0)->piece > part_of(uses[k].size, 4) ? 2 : 1;
          left[pass.run] -= (some >> k & 1) != 0 ? passing_room(uses[k], pass, 0, copies, 4)
                            : uses[k].weight     ? uses[k].size
                                                 : 0;
        }
      any = std::ranges::none_of(left, [](Size size) { return size < 0; });
    }
    const std::vector<PlannedBehind> ways = ways_behind(network, hardware, runs, uses, room);
    fits += any ? 1 : 0;
    found += ways.empty() ? 0 : 1;
    away += !ways.empty() && !ways.front().away.empty() ? 1 : 0;
    EXPECT_TRUE(any || ways.empty()) << seed;
    EXPECT_EQ(any, !ways.empty()) << seed;
  }
  EXPECT_GT(fits, cases / 3);
  EXPECT_LT(fits, cases * 29 / 30);
  EXPECT_GT(away, cases / 10);
  RecordProperty("fits", fits);
  RecordProperty("found", found);
}

/// Convolutions in tiles of some rows, with overlapping inputs.
NetworkPlan rows_plan(const Network& network, const Hardware& hardware) {
  return plan_network(network, hardware, params_of(1));
}
Network rows_network() {
  std::string ops;
  for (const char* const op : {"a, type: conv, inputs: [x], output: t, weights: {shape: [8,",
                               "b, type: conv, inputs: [t], output: u, weights: {shape: [8,",
                               "c, type: conv, inputs: [u], output: v, weights: {shape: [8,",
                               "d, type: conv, inputs: [v], output: y, weights: {shape: [4,"})
    ops += std::string("  - {name: ") + op + " 8, 3, 3], dtype: int8}, pad: [1, 1, 1, 1]}\n";
  return io::read_network_yaml(
             "tessera: network/1\nname: rows\ntensors: {x: {shape: [1, 8, 32, 8], dtype: int8}}\n"
             "inputs: [x]\nops:\n" +
                 ops + "outputs: [y]\n",
             "rows.yaml")
      .network;
}
Hardware rows_machine(Size front) {
  Hardware hardware = machine(front);
  hardware.memories.front().space.capacity = 1300;
  return hardware;
}
const PlannedFetch& fetch_of(const NetworkPlan& plan, const std::string& tensor, bool writes) {
  return *std::ranges::find_if(plan.behind.fetches, [&](const PlannedFetch& fetch) {
    return fetch.tensor == tensor && fetch.writes == writes;
  });
}

TEST(PlanBehind, WithRoomForOnePieceNothingElseHappens) {
  const Network network = rows_network();
  const Hardware hardware = rows_machine(2816);
  const NetworkPlan plan = rows_plan(network, hardware);
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_EQ(check_plan(network, hardware, plan), std::vector<std::string>{});
  // Eight tiles of four rows with 64 bytes each: 512 bursts in sequence, ten cycles each, and ten
  // more for each part.
  const PlannedFetch& made = fetch_of(plan, "t", true);
  EXPECT_EQ(made.copies, 1);
  EXPECT_EQ(made.room, 256);
  EXPECT_EQ(made.end - made.begin, 8 * 10 + 512 * 10);
  NetworkPlan other = plan;
  for (PlannedFetch& fetch : other.behind.fetches) fetch.copies = 2;
  EXPECT_FALSE(check_plan(network, hardware, other).empty());
}

TEST(PlanBehind, TilesHaveAPieceTogether) {
  const Network network = rows_network();
  const Hardware hardware = rows_machine(3072);
  const NetworkPlan plan = rows_plan(network, hardware);
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_EQ(check_plan(network, hardware, plan), std::vector<std::string>{});
  // Overlaps of tiles are loaded once.
  const PlannedFetch& read = fetch_of(plan, "v", false);
  EXPECT_EQ(read.loops, 1);
  EXPECT_EQ(read.bytes, 2048);
  const auto loops = [&](int more) {
    NetworkPlan other = plan;
    for (PlannedFetch& fetch : other.behind.fetches)
      if (fetch.tensor == "v" && !fetch.writes) fetch.loops = more;
    return check_plan(network, hardware, other);
  };
  EXPECT_TRUE(loops(1).empty());
  EXPECT_FALSE(loops(0).empty());
  EXPECT_FALSE(loops(2).empty());
}

TEST(PlanBehind, WhatTheMachineCannotBeIsSaid) {
  const auto error = [](const std::string& memories) -> std::string {
    try {
      static_cast<void>(
          io::read_hardware_yaml("tessera: hardware/1\nname: m\nclock: 1 GHz\n"
                                 "engines: {mac: {kind: mac_array, unroll: {K: 4}}}\n"
                                 "memories:\n  l1: {capacity: 64 KiB}\n" +
                                     memories,
                                 "m.yaml"));
    } catch (const std::exception& wrong) {
      return wrong.what();
    }
    return {};
  };
  const std::string front = "  l2: {offchip: true, capacity: 1 MiB, bandwidth: 8 B/cycle}\n";
  EXPECT_EQ(error(front + "  ram: {offchip: true, behind: l2, bandwidth: 1 B/cycle}\n"), "");
  EXPECT_NE(error(front + "  ram: {offchip: true, behind: l1, bandwidth: 1 B/cycle}\n")
                .find("is `behind` 'l1', but no weights are transferred through that memory"),
            std::string::npos);
  EXPECT_NE(error(front + "  ram: {offchip: true, behind: l3, bandwidth: 1 B/cycle}\n")
                .find("is `behind` 'l3'"),
            std::string::npos);
  EXPECT_NE(error("  l2: {offchip: true, bandwidth: 8 B/cycle}\n"
                  "  ram: {offchip: true, behind: l2, bandwidth: 1 B/cycle}\n")
                .find("has unlimited capacity"),
            std::string::npos);
  const std::string both = "bandwidth: {read: 1 B/cycle, write: 1 B/cycle}";
  EXPECT_EQ(error(front + "  ram: {offchip: true, behind: l2, " + both + "}\n"), "");
  EXPECT_NE(error(front + "  ram: {offchip: true, writable: false, behind: l2, " + both + "}\n")
                .find("is not writable"),
            std::string::npos);
  const auto ram = [&](const std::string& more) {
    return error(front + "  ram: {offchip: true, behind: l2, bandwidth: 1 B/cycle, " + more +
                 "}\n");
  };
  EXPECT_EQ(ram("energy: 3 pJ/B"), "");
  EXPECT_EQ(ram("energy: {read: 3 pJ/B, write: 4 pJ/B}"), "");
  EXPECT_NE(ram("writable: false, energy: {read: 3 pJ/B, write: 4 pJ/B}").find("for writing"),
            std::string::npos);
  EXPECT_NE(ram("alignment: 64").find("unlimited capacity"), std::string::npos);
  EXPECT_EQ(ram("alignment: 64, capacity: 1 MiB"), "");
  EXPECT_NE(ram("base: 4096").find("has a `base`"), std::string::npos);
  EXPECT_NE(error(front + "  ram: {offchip: true, behind: \"\", bandwidth: 1 B/cycle}\n")
                .find("names no memory"),
            std::string::npos);
  EXPECT_NE(error(front + "  l3: {capacity: 1 KiB, behind: l2}\n").find("is on-chip"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::planner
