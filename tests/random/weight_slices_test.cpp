// Weights that arrive in slices, against an explicit list of slices: an array that waits for each
// slice of its weights ends at the time of the definition, and never later than an array that waits
// for all of them.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_weight_slices_test        repeats one of them
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cost/group_parts.h"
#include "cost/tiled_group.h"
#include "cost/transfer.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"
#include "tiling/ceil_div.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;

/// One array that computes some channels at once, one unlimited memory, one DMA channel.
Hardware machine(Random& random) {
  Hardware h;
  h.name = "random";
  h.clock_hz = 1e9;
  h.engines = {Engine{.name = "mac", .unroll = {{"K", random.between(1, 4)}}},
               Engine{.name = "vec", .kind = EngineKind::vector}};
  HardwareMemory chip;
  chip.space.name = "sram";
  chip.space.capacity = Size{1} << 40;
  HardwareMemory dram;
  dram.space.name = "dram";
  dram.offchip = true;
  h.memories = {chip, dram};
  testing::randomize_link(random, h);
  h.dma.channels = 1;
  h.memories[0].bandwidth.reset();
  h.memories[0].write_bandwidth.reset();
  return h;
}

PlannedPlacement one_after_the_other(const PlacementProblem& problem) {
  PlannedPlacement result{.problem = problem, .placement = {}, .engine = {}};
  Offset free = 0;
  for (const Buffer& buffer : problem.buffers) {
    result.placement.places.push_back({.memory = 0, .offset = free});
    free += buffer.size;
  }
  result.placement.modes.resize(problem.memories.size());
  return result;
}

struct Question {
  Network net;
  Hardware hardware;
  TileVariant options{.weights = WeightPolicy::refetch};
  bool one_tile = false;
};

struct Answer {
  cost::Cycles latency = 0;
  cost::Cycles compute = 0;
  Size bytes = 0;
};

Answer answer(const Question& question, Random random) {
  const tiling::Subgraph part =
      tiling::make_subgraph(question.net, {0, question.net.ops.size() - 1});
  tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  tiling::TileShape shape = geometry.space().whole;
  for (std::size_t axis = 0; axis < shape.extent.size(); ++axis)
    if (!question.one_tile && geometry.space().axis[axis] && random.chance(50))
      shape.extent[axis] = random.between(1, shape.extent[axis]);
  const tiling::TileGrid grid = geometry.grid(shape);
  const tiling::Lowering lowering =
      tiling::lower(part, geometry.space(), question.hardware, question.options);
  const PlannedPlacement placement = one_after_the_other(lowering.problem);
  const cost::TiledGroup run{.subgraph = &part,
                             .grid = &grid,
                             .lowering = &lowering,
                             .hardware = &question.hardware,
                             .placements = {&placement}};
  const cost::GroupCost cost = cost::group_cost(run);
  return {cost.metrics.latency_cycles, cost.layers[0].compute_cycles, cost.metrics.dram_bytes};
}

/// Slice by slice: the time at which one op in one tile has stored its output.
double by_definition(const Question& question, std::int64_t slices, cost::Cycles compute) {
  const tiling::Subgraph part = tiling::make_subgraph(question.net, {0, 0});
  tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  const tiling::TileGrid grid = geometry.grid(geometry.space().whole);
  const tiling::TileRegions& tile = grid.tiles.front();
  const cost::Link link = cost::links_of(question.hardware).data;
  double bus = 0;    // when the DMA is free
  double ready = 0;  // when all unsliced data is there
  std::vector<double> arrives;
  double rest = 0;
  for (std::size_t t = 0; t < part.tensors.size(); ++t) {
    if (part.tensors[t].producer) continue;
    const auto cost = cost::transfer_cost(cost::moved(part, t, tile.fresh[t], link), link, true);
    const bool sliced =
        std::ranges::any_of(part.operands_at[0], [&](const tiling::LocalOperand& operand) {
          return operand.local == t && operand.position == 1 && part.tensors[t].weight;
        });
    if (!sliced) {
      bus += static_cast<double>(cost.cycles);
      ready = std::max(ready, bus);
      continue;
    }
    const auto wait = static_cast<double>(link.setup + link.read.latency);
    const double slice = (static_cast<double>(cost.cycles) - wait) / static_cast<double>(slices);
    bus += wait + slice;
    arrives.push_back(bus);
    rest = slice;
  }
  for (std::int64_t k = 1; k < slices; ++k) arrives.push_back(bus += rest);
  double end = ready;
  const double work = static_cast<double>(compute) / static_cast<double>(slices);
  for (const double arrival : arrives) end = std::max(end, arrival) + work;
  for (std::size_t t = 0; t < part.tensors.size(); ++t)
    if (part.tensors[t].leaves)
      end += static_cast<double>(
          cost::transfer_cost(cost::moved(part, t, tile.stored[t], link), link, false).cycles);
  return end;
}

TEST(WeightSlices, TakeWhatTheDefinitionSays) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(3000));
  std::uint64_t compared = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("TESSERA_SEED=" + std::to_string(seed) + " TESSERA_CASES=1");
    Random random(seed ^ 0x511ce5);
    Question question;
    question.net = testing::random_network(
        seed, {.ops = 1, .extent = 12, .channels = 24, .views = false, .spatial_only = true});
    question.hardware = machine(random);
    question.one_tile = true;
    const Op& op = question.net.ops[0];
    if (op.kind != OpKind::conv || op.groups != 1 || op.inputs.size() < 2 ||
        question.net.tensors[op.inputs[1]].kind != TensorKind::weight)
      continue;
    const Dim channels = question.net.tensors[op.outputs[0]].shape[1];
    question.hardware.dma.weight_slices = random.between(2, 8);
    const std::int64_t slices =
        std::min(question.hardware.dma.weight_slices,
                 tiling::ceil_div(channels, question.hardware.engines[0].unroll[0].second));
    const Answer got = answer(question, random);
    // Slices are rounded to whole cycles.
    EXPECT_NEAR(static_cast<double>(got.latency), by_definition(question, slices, got.compute),
                static_cast<double>(slices));
    ++compared;
  }
  if (cases > 100) {
    EXPECT_GT(compared, cases / 50);
  }
}

TEST(WeightSlices, AreNeverSlower) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(3000));
  std::uint64_t quicker = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("TESSERA_SEED=" + std::to_string(seed) + " TESSERA_CASES=1");
    Random random(seed ^ 0x511ce6);
    Question question;
    question.net = testing::random_network(
        seed,
        {.ops = static_cast<std::size_t>(random.between(1, 3)), .extent = 12, .channels = 24});
    question.hardware = machine(random);
    question.options.double_buffer = random.chance(50);
    const std::int64_t slices = random.between(2, 8);
    const Answer whole = answer(question, random);
    question.hardware.dma.weight_slices = slices;
    const Answer sliced = answer(question, random);
    EXPECT_LE(sliced.latency, whole.latency);
    EXPECT_EQ(sliced.bytes, whole.bytes);
    EXPECT_EQ(sliced.compute, whole.compute);
    quicker += sliced.latency < whole.latency ? 1 : 0;
  }
  if (cases > 100) {
    EXPECT_GT(quicker, cases / 20);
  }
}

}  // namespace
}  // namespace tessera
