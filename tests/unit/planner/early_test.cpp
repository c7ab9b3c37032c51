// Weight prefetch: its gain to the cycle, rejected files, and cases without a gain.
#include "planner/early.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/network_yaml.h"
#include "planner/kept_places.h"
#include "tessera/check.h"
#include "tessera/plan.h"
#include "tests/support/small_chain.h"

namespace tessera::planner {
namespace {

using testing::small_chain;
using testing::small_chain_text;

Hardware small_machine(int capacity, Early early) {
  Hardware hardware = testing::small_machine(capacity);
  hardware.tiling.early = early;
  return hardware;
}

NetworkPlan planned_chain(const Hardware& hardware) {
  return plan_network(small_chain(), hardware, {.max_ops = 1, .tile_shapes = 0});
}

TEST(Early, EachRunButTheFirstWaitsForNoWeights) {
  const NetworkPlan late = planned_chain(small_machine(4096, Early::none));
  const NetworkPlan plan = planned_chain(small_machine(4096, Early::weights));
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  ASSERT_EQ(plan.subgraphs.size(), 3U);
  // 64 bytes and the latency overlap with the previous op.
  EXPECT_EQ(late.totals.latency_cycles - plan.totals.latency_cycles, 2 * (64 + 10));
  EXPECT_EQ(late.totals.dram_bytes, plan.totals.dram_bytes);
  const std::vector<std::string> none;
  EXPECT_EQ(plan.subgraphs[0].early, none);
  EXPECT_EQ(plan.subgraphs[1].early, plan.subgraphs[0].ahead);
  EXPECT_EQ(plan.subgraphs[2].early, plan.subgraphs[1].ahead);
  EXPECT_EQ(plan.subgraphs[2].early.size(), 1U);
  EXPECT_EQ(plan.subgraphs[2].ahead, none);
  // A prefetch is attributed to the op that computes meanwhile.
  EXPECT_EQ(late.layers[0].offchip_bytes + 64, plan.layers[0].offchip_bytes);
  EXPECT_EQ(late.layers[2].offchip_bytes - 64, plan.layers[2].offchip_bytes);
}

/// Input, output and weights of an op, with no space for 64 bytes more.
TEST(Early, NothingComesWhereThereIsNoRoom) {
  const NetworkPlan plan = planned_chain(small_machine(2 * 128 + 64 + 63, Early::weights));
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  for (const PlannedSubgraph& run : plan.subgraphs) EXPECT_TRUE(run.early.empty());
}

/// The tensor between the ops does not fit on chip: moving it costs more than any weights.
TEST(Early, AProofHoldsForWeightsThatComeEarly) {
  std::string text(small_chain_text);
  text.replace(text.find("4, 4]"), 5, "40, 40]");
  const Network network = io::read_network_yaml(text, "chain.yaml").network;
  Hardware hardware = small_machine(4096, Early::weights);
  hardware.dma.outstanding = 1;
  const NetworkPlan plan = plan_network(network, hardware, {.effort = 300});
  ASSERT_EQ(plan.subgraphs.size(), 1U);
  EXPECT_TRUE(plan.optimal) << plan.score << ' ' << plan.bound;
  EXPECT_EQ(plan.scope.prefetch, PlanScope::Prefetch::any);
}

// Exporters let several ops share a weight.
constexpr std::string_view shared_text = R"(
tessera: network/1
name: shared
tensors: {x: {shape: [1, 8, 4, 4], dtype: int8}, w: {shape: [8, 8, 1, 1], dtype: int8, kind: weight}}
inputs: [x]
ops:
  - {name: a, type: relu, inputs: [x], output: t}
  - {name: b, type: conv, inputs: [t, w], output: u}
  - {name: c, type: relu, inputs: [u], output: v}
  - {name: d, type: conv, inputs: [v, w], output: y}
outputs: [y]
)";

/// It is loaded once, and the group that reads it first leaves it to the next reader.
TEST(Early, AWeightMayComeForSeveralRuns) {
  const Network network = io::read_network_yaml(shared_text, "shared.yaml").network;
  Hardware hardware = small_machine(4096, Early::weights);
  hardware.engines.push_back({.name = "vec", .kind = EngineKind::vector, .lanes = 1});
  NetworkPlan plan = plan_network(network, hardware, {.max_ops = 1, .tile_shapes = 0});
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  const std::vector<std::string> w{"w"};
  EXPECT_EQ(plan.subgraphs[0].ahead, w);
  EXPECT_EQ(plan.subgraphs[1].early, w);
  EXPECT_EQ(plan.subgraphs[1].ahead, w);
  EXPECT_EQ(plan.subgraphs[2].passing, w);
  EXPECT_EQ(plan.subgraphs[3].early, w);
  EXPECT_EQ(plan.totals.dram_bytes, 2 * 128 + 64) << "all is moved once";
  EXPECT_TRUE(check_plan(network, hardware, plan).empty());
  const auto put = [](PlannedSubgraph& run, Offset offset) {
    PlannedPlacement& placed = run.placements.front();
    for (std::size_t b = 0; b < placed.problem.buffers.size(); ++b)
      if (placed.problem.buffers[b].id == "w") placed.placement.places[b].offset = offset;
  };
  // It may have another place, but the same one in all groups.
  for (PlannedSubgraph& run : plan.subgraphs) put(run, 2048);
  EXPECT_TRUE(kept_wrong(network, hardware, plan.subgraphs).empty());
  put(plan.subgraphs[3], 2048 + 64);
  EXPECT_FALSE(kept_wrong(network, hardware, plan.subgraphs).empty());
}

/// More weights cross a group than it has buffers of its own, and then it loads one itself.
TEST(Early, ManyWeightsMayPassARun) {
  const Network network = io::read_network_yaml(R"(
tessera: network/1
name: passing
tensors:
  x: {shape: [1, 8, 4, 4], dtype: int8}
  w1: {shape: [8, 8, 1, 1], dtype: int8, kind: weight}
  w2: {shape: [8, 8, 1, 1], dtype: int8, kind: weight}
  w3: {shape: [8, 8, 1, 1], dtype: int8, kind: weight}
  w4: {shape: [8, 8, 1, 1], dtype: int8, kind: weight}
  v: {shape: [8, 8, 1, 1], dtype: int8, kind: weight}
inputs: [x]
ops:
  - {name: b1, type: conv, inputs: [x, w1], output: t1}
  - {name: b2, type: conv, inputs: [t1, w2], output: t2}
  - {name: b3, type: conv, inputs: [t2, w3], output: t3}
  - {name: b4, type: conv, inputs: [t3, w4], output: t4}
  - {name: c1, type: relu, inputs: [t4], output: t5}
  - {name: c2, type: conv, inputs: [t5, v], output: t6}
  - {name: d1, type: conv, inputs: [t6, w1], output: t7}
  - {name: d2, type: conv, inputs: [t7, w2], output: t8}
  - {name: d3, type: conv, inputs: [t8, w3], output: t9}
  - {name: d4, type: conv, inputs: [t9, w4], output: y}
outputs: [y]
)",
                                                "passing.yaml")
                              .network;
  Hardware hardware = small_machine(4096, Early::weights);
  hardware.engines.push_back({.name = "vec", .kind = EngineKind::vector, .lanes = 1});
  hardware.tiling.weights = {WeightPolicy::refetch, WeightPolicy::resident};
  hardware.tiling.early = Early::none;
  const PlanParams params{.max_ops = 1, .tile_shapes = 0};
  NetworkPlan plan = plan_network(network, hardware, params);
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  // Each group has one tile and may refetch its weights: they stay if some are prefetched.
  for (PlannedSubgraph& run : plan.subgraphs) run.variant.weights = WeightPolicy::refetch;
  ASSERT_TRUE(check_plan(network, hardware, plan).empty());
  hardware.tiling.early = Early::weights;
  // The claims are about plans without prefetch.
  plan.bound = plan.explored.bound = 0;
  plan.optimal = plan.explored.optimal = false;
  plan.accounting = {};
  ASSERT_TRUE(take_early(network, hardware, params, {}, plan));
  EXPECT_EQ(plan.subgraphs[4].passing.size(), 4U);
  EXPECT_EQ(plan.subgraphs[4].ahead, std::vector<std::string>{"v"});
  EXPECT_EQ(plan.totals.dram_bytes, 2 * 128 + 5 * 64) << "all is moved once";
  EXPECT_TRUE(check_plan(network, hardware, plan).empty());
}

TEST(Early, ARunThatFetchesAgainLeavesNothing) {
  const Network network = io::read_network_yaml(shared_text, "shared.yaml").network;
  Hardware hardware = small_machine(4096, Early::weights);
  hardware.engines.push_back({.name = "vec", .kind = EngineKind::vector, .lanes = 1});
  NetworkPlan plan = plan_network(network, hardware, {.max_ops = 1, .tile_shapes = 0});
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  ASSERT_EQ(plan.subgraphs[1].ahead, std::vector<std::string>{"w"});
  EXPECT_TRUE(check_plan(network, hardware, plan).empty());
  plan.subgraphs[1].variant.weights = WeightPolicy::refetch;
  const std::vector<std::string> wrong = check_plan(network, hardware, plan);
  ASSERT_FALSE(wrong.empty());
  EXPECT_NE(wrong.front().find("to a later group without resident weights"), std::string::npos)
      << wrong.front();
}

/// A limit on the bandwidth makes other tiles decisive: the bound includes prefetches then, too.
TEST(Early, BoundsUnderALimitKnowOfThem) {
  std::string text(small_chain_text);
  text.replace(text.find("4, 4]"), 5, "16, 16]");
  const Network network = io::read_network_yaml(text, "chain.yaml").network;
  const Hardware hardware = small_machine(3000, Early::weights);
  PlanParams params{.max_ops = 2};
  const NetworkPlan plan = plan_network(network, hardware, params);
  params.peak_limits = {{"peak_bandwidth", 1000.0}};
  const NetworkPlan limited = plan_network(network, hardware, params);
  ASSERT_EQ(limited.status, Status::feasible) << limited.reason;
  EXPECT_LE(limited.bound, plan.score);
  EXPECT_FALSE(limited.optimal && limited.score > plan.score);
}

/// Two weights of one group, one of which does not fit.
TEST(Early, SomeWeightsComeWhereNotAllHaveRoom) {
  constexpr std::string_view text = R"(
tessera: network/1
name: some
tensors: {x: {shape: [1, 8, 4, 4], dtype: int8}}
inputs: [x]
ops:
  - {name: a, type: conv, inputs: [x], output: t, weights: {shape: [8, 8, 1, 1], dtype: int8}}
  - {name: b, type: conv, inputs: [t], output: "1:b.weights", weights: [{shape: [8, 8, 1, 1], dtype: int8}, {shape: [8], dtype: int32}]}
outputs: ["1:b.weights"]
)";
  const Network network = io::read_network_yaml(text, "some.yaml").network;
  // Space for x, t and the weights of a, plus 32 bytes: b needs the space of a.
  const Hardware hardware = small_machine(2 * 128 + 64 + 32, Early::weights);
  const NetworkPlan plan = plan_network(network, hardware, {.max_ops = 1, .tile_shapes = 0});
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_EQ(plan.subgraphs[1].early.size(), 1U);
}

// `b` transfers more than it computes, so the weights of `c` are loaded while `a` computes.
constexpr std::string_view busy_text = R"(
tessera: network/1
name: busy
tensors: {x: {shape: [1, 8, 4, 4], dtype: int8}}
inputs: [x]
ops:
  - {name: a, type: conv, inputs: [x], output: t, weights: {shape: [8, 8, 1, 1], dtype: int8}}
  - {name: b, type: relu, inputs: [t], output: u}
  - {name: c, type: conv, inputs: [u], output: y, weights: {shape: [8, 8, 1, 1], dtype: int8}}
outputs: [y]
)";

/// No channel is free while `b` runs: its relu takes a cycle.
TEST(Early, AWeightMayComeARunAheadOfTheOneBefore) {
  const Network network = io::read_network_yaml(busy_text, "busy.yaml").network;
  Hardware hardware = small_machine(4096, Early::weights);
  hardware.engines.push_back({.name = "vec", .kind = EngineKind::vector, .lanes = 128});
  const auto plan_with = [&](Early early) {
    hardware.tiling.early = early;
    return plan_network(network, hardware, {.max_ops = 1, .tile_shapes = 0});
  };
  const NetworkPlan late = plan_with(Early::none);
  const NetworkPlan plan = plan_with(Early::weights);
  ASSERT_EQ(plan.status, Status::feasible) << plan.reason;
  EXPECT_EQ(late.totals.latency_cycles - plan.totals.latency_cycles, 64 + 10);
  const std::vector<std::string>& weights = plan.subgraphs[2].early;
  ASSERT_EQ(weights.size(), 1U);
  EXPECT_EQ(plan.subgraphs[0].ahead, weights);
  EXPECT_EQ(plan.subgraphs[1].passing, weights);
  EXPECT_TRUE(check_plan(network, hardware, plan).empty());

  const auto expect_refused = [&](NetworkPlan wrong, const std::string& sentence) {
    const std::vector<std::string> said = check_plan(network, hardware, wrong);
    ASSERT_FALSE(said.empty());
    EXPECT_NE(said.front().find(sentence), std::string::npos) << said.front();
  };
  Hardware late_machine = hardware;
  late_machine.tiling.early = Early::none;
  EXPECT_FALSE(check_plan(network, late_machine, plan).empty());
  NetworkPlan wrong = plan;
  wrong.subgraphs[1].passing = {"u"};
  expect_refused(wrong, "lists 'u' as `passing`, which is not a weight");
  wrong.subgraphs[1].passing = {"nothing"};
  expect_refused(wrong, "lists as `passing` 'nothing', which is not a tensor");
  wrong = plan;
  std::vector<PlannedSubgraph> runs = plan.subgraphs;
  runs[1].passing.clear();
  EXPECT_NE(kept_wrong(network, hardware, runs).front().find("neither as `early` nor as `passing`"),
            std::string::npos);
  runs = plan.subgraphs;
  runs[0].ahead.clear();
  EXPECT_NE(kept_wrong(network, hardware, runs).front().find("no earlier group prefetches it"),
            std::string::npos);
  runs = plan.subgraphs;
  runs[2].early.clear();
  EXPECT_NE(kept_wrong(network, hardware, runs).front().find("by the group that begins at op 2"),
            std::string::npos);
}

void expect_lists_refused(const NetworkPlan& plan, const std::string& sentence) {
  const std::vector<std::string> wrong =
      check_plan(small_chain(), small_machine(4096, Early::weights), plan);
  ASSERT_FALSE(wrong.empty());
  EXPECT_NE(wrong.front().find(sentence), std::string::npos) << wrong.front();
}

TEST(Early, ListsThatCannotBeAreRefused) {
  const NetworkPlan good = planned_chain(small_machine(4096, Early::weights));
  const std::string weight = good.subgraphs[1].early.front();
  NetworkPlan plan = good;
  plan.subgraphs[1].early.clear();
  plan.subgraphs[0].ahead = {"t"};
  expect_lists_refused(plan, "loads 't' ahead, which is not a weight for a later group");
  plan.subgraphs[0].ahead = {weight, weight};
  expect_lists_refused(plan, "lists '" + weight + "' twice in `ahead`");
  plan.subgraphs[0].ahead = {weight};
  plan.subgraphs[0].passing = {weight};
  expect_lists_refused(plan, "lists '" + weight + "' in `ahead` and in `passing`");
  plan.subgraphs[0].ahead.clear();
  plan.subgraphs[0].passing = {weight, weight};
  expect_lists_refused(plan, "lists '" + weight + "' twice in `passing`");
  plan = good;
  plan.subgraphs[1].early = {weight, weight};
  expect_lists_refused(plan, "lists '" + weight + "' twice in `early`");
  plan = good;
  plan.subgraphs[1].early.clear();
  plan.subgraphs[0].ahead = {"nothing"};
  expect_lists_refused(plan, "loads ahead 'nothing', which is not a tensor of the network");
  plan = good;
  plan.subgraphs[2].early = {weight};
  expect_lists_refused(plan, "finds '" + weight + "' early, which is not a weight that it reads");
  plan = good;
  plan.subgraphs[1].variant.weights = WeightPolicy::refetch;
  expect_lists_refused(plan, "finds weights early without resident weights");
}

}  // namespace
}  // namespace tessera::planner
