#include "planner/offchip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "io/network_yaml.h"
#include "tessera/validate.h"
#include "tests/support/machines.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::planner {
namespace {

Network network_of(const std::string& ops, const std::string& outputs, const std::string& shape) {
  return io::read_network_yaml("tessera: network/1\nname: x\ntensors: {x: {shape: [" + shape +
                                   "], dtype: int8}}\ninputs: [x]\nops:\n" + ops + "outputs: [" +
                                   outputs + "]\n",
                               "x.yaml")
      .network;
}

/// Every op alone, in tiles with this many rows and columns.
std::vector<PlannedSubgraph> each_op(const Network& network, Dim rows, Dim columns) {
  std::vector<PlannedSubgraph> runs;
  for (OpIndex op = 0; op < network.ops.size(); ++op) {
    PlannedSubgraph& run = runs.emplace_back();
    run.ops = {op, op};
    const tiling::Subgraph part = tiling::make_subgraph(network, run.ops);
    tiling::TileGeometry geometry(part, HaloPolicy::recompute);
    tiling::TileShape shape = geometry.space().whole;
    shape.extent[1] = rows;
    shape.extent[2] = columns;
    run.extent = shape.extent;
    run.counts = geometry.grid(shape).counts;
  }
  return runs;
}

struct Answer {
  OffchipMemory memory;
  [[nodiscard]] Offset at(const std::string& id) const {
    const auto found = std::ranges::find(memory.buffers, id, &OffchipBuffer::id);
    return found == memory.buffers.end() ? -1 : found->offset;
  }
};

/// The checker accepts it.
Answer placed(const Network& network, Dim rows, Dim columns) {
  const Hardware machine = testing::toy_machine(4096);
  NetworkPlan plan;
  plan.subgraphs = each_op(network, rows, columns);
  plan.offchip = place_offchip(network, machine, plan.subgraphs, {}, {}).memories;
  for (const std::string& wrong : offchip_wrong(network, machine, plan)) ADD_FAILURE() << wrong;
  return plan.offchip.size() == 1 ? Answer{plan.offchip.front()} : Answer{};
}

constexpr Size tensor_size = 8 * 32 * 32;

TEST(PlanOffchip, AChainOfElementwiseOpsIsComputedInPlace) {
  const Network network = network_of(
      "  - {name: a, type: relu, inputs: [x], output: a}\n"
      "  - {name: b, type: sigmoid, inputs: [a], output: b}\n"
      "  - {name: c, type: gelu, inputs: [b], output: c}\n"
      "  - {name: y, type: relu, inputs: [c], output: y}\n",
      "y", "1, 8, 32, 32");
  for (const Dim rows : {Dim{1}, Dim{4}, Dim{5}, Dim{32}})
    for (const Dim columns : {Dim{8}, Dim{32}}) {
      const Answer answer = placed(network, rows, columns);
      EXPECT_EQ(answer.memory.height, tensor_size) << rows << " x " << columns;
      EXPECT_EQ(answer.memory.lower_bound, tensor_size);
      EXPECT_EQ(answer.memory.whole_tensors,
                rows == 32 && columns == 32 ? tensor_size : 2 * tensor_size);
      for (const char* id : {"x", "a", "b", "c", "y"}) EXPECT_EQ(answer.at(id), 0) << id;
    }
}

TEST(PlanOffchip, AnAdditionTakesTheRoomOfOneOfItsOperands) {
  const Network network = network_of(
      "  - {name: a, type: relu, inputs: [x], output: a}\n"
      "  - {name: b, type: sigmoid, inputs: [a], output: b}\n"
      "  - {name: y, type: add, inputs: [b, x], output: y}\n"
      "  - {name: c, type: relu, inputs: [y], output: c}\n"
      "  - {name: z, type: add, inputs: [y, c], output: z}\n",
      "z", "1, 8, 32, 32");
  for (const Dim rows : {Dim{2}, Dim{8}}) {
    const Answer answer = placed(network, rows, 32);
    EXPECT_EQ(answer.memory.height, 2 * tensor_size) << rows;
    EXPECT_EQ(answer.memory.whole_tensors, 3 * tensor_size);
    EXPECT_TRUE(answer.at("y") == answer.at("b") || answer.at("y") == answer.at("x"));
    EXPECT_TRUE(answer.at("z") == answer.at("y") || answer.at("z") == answer.at("c"));
  }
}

TEST(PlanOffchip, AWindowOfThreeRowsLagsBehind) {
  const Network network = network_of(
      "  - {name: y, type: max_pool, inputs: [x], output: y, kernel: [3, 3], stride: [1, 1], pad: "
      "[1, 1, 1, 1]}\n",
      "y", "1, 1, 32, 32");
  // The previous row is read once more, so results lie one row lower: 33 rows in total.
  const Answer answer = placed(network, 1, 32);
  EXPECT_EQ(answer.memory.height, 33 * 32);
  EXPECT_EQ(answer.at("x") - answer.at("y"), 32);
}

TEST(PlanOffchip, TilesThatAreTooManyLiveRowByRow) {
  const Network network = network_of(
      "  - {name: a, type: relu, inputs: [x], output: a}\n"
      "  - {name: y, type: relu, inputs: [a], output: y}\n",
      "y", "1, 64, 256, 256");
  const Hardware machine = testing::toy_machine(4096);
  const std::vector<PlannedSubgraph> runs = each_op(network, 8, 32);
  const PlacementProblem problem = offchip_question(network, machine, runs, {});
  EXPECT_TRUE(validate(problem).empty());
  std::int64_t pieces = 0;
  for (const Buffer& buffer : problem.buffers) {
    EXPECT_FALSE(buffer.parts.empty()) << buffer.id;
    pieces += part_run_count(buffer);
  }
  EXPECT_LE(pieces, max_part_runs);
  EXPECT_GT(pieces, 10'000);
}

TEST(PlanOffchip, WholeTensorsHavePlacesWhereTimeIsUp) {
  const Network network = network_of(
      "  - {name: a, type: relu, inputs: [x], output: a}\n"
      "  - {name: b, type: sigmoid, inputs: [a], output: b}\n"
      "  - {name: y, type: relu, inputs: [b], output: y}\n",
      "y", "1, 8, 32, 32");
  Hardware machine = testing::toy_machine(4096);
  NetworkPlan plan;
  plan.subgraphs = each_op(network, 8, 32);
  const Budget over{.deadline = std::chrono::steady_clock::time_point{}};
  plan.offchip = place_offchip(network, machine, plan.subgraphs, {}, over).memories;
  ASSERT_EQ(plan.offchip.size(), 1U);
  OffchipMemory& memory = plan.offchip.front();
  // a has a place of its own, b that of x: 4 tiles each, two steps per tile.
  EXPECT_EQ(memory.height, 2 * tensor_size);
  EXPECT_EQ(memory.whole_tensors, 2 * tensor_size);
  // Without following the tiles, bytes that no access touches would need no space.
  EXPECT_EQ(memory.lower_bound, 0);
  ASSERT_EQ(memory.buffers.size(), 4U);
  EXPECT_EQ(memory.buffers[0].live, (StepRange{0, 7}));
  EXPECT_EQ(memory.buffers[1].live, (StepRange{1, 15}));
  EXPECT_EQ(offchip_wrong(network, machine, plan), std::vector<std::string>{});

  NetworkPlan damaged = plan;
  damaged.offchip.front().lower_bound = tensor_size + 1;  // of tiles, which need no more
  EXPECT_EQ(offchip_wrong(network, machine, damaged).size(), 1U);
  damaged = plan;
  ++damaged.offchip.front().buffers[1].live.upper;
  EXPECT_EQ(offchip_wrong(network, machine, damaged).size(), 1U);
  damaged = plan;
  // At the same offset, a follows x tile by tile; half a tile higher it does not.
  damaged.offchip.front().buffers[1].offset = damaged.offchip.front().buffers[0].offset + 128;
  EXPECT_NE(offchip_wrong(network, machine, damaged).size(), 0U);

  // Too small for whole tensors, with no time to evaluate tiles.
  for (HardwareMemory& each : machine.memories)
    if (each.offchip) each.space.capacity = 2 * tensor_size - 1;
  const OffchipAnswer full = place_offchip(network, machine, plan.subgraphs, {}, over);
  EXPECT_TRUE(full.memories.empty());
  EXPECT_NE(full.too_small.find("a limit ended the search before memory"), std::string::npos)
      << full.too_small;
}

}  // namespace
}  // namespace tessera::planner
