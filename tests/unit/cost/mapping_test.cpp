#include "cost/mapping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/effort.h"
#include "tests/support/one_op.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"

namespace tessera::cost {
namespace {

using testing::convolution;
using testing::One;
using testing::Random;
using testing::setting;

TEST(Mapping, WithoutBlocksItIsTheProductOfRoundedLoops) {
  Engine engine{.name = "mac", .unroll = {{"C", 16}, {"K", 32}, {"W", 4}}};
  const One one = convolution({40, 14, 14, 70, 14, 14, 3, 1}, false);
  const Op& op = one.net.ops[0];
  const tiling::OpLoops loops = tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
  EXPECT_EQ(array_cost(op, loops, engine, {}).cycles, 3.0 * 3 * 4 * 14 * 9);
  engine.cores = 3;
  EXPECT_EQ(array_cost(op, loops, engine, {}).cycles, 3.0 * 4 * 14 * 9);
}

TEST(Mapping, BlocksWaitForTheMemoryThatOperandsLieIn) {
  Hardware hardware;
  hardware.clock_hz = 1e9;
  const auto per_cycle = [](double amount) {
    return Bandwidth{.amount = amount, .per_cycle = true};
  };
  hardware.memories.resize(2);
  hardware.memories[0].bandwidth = per_cycle(16);
  hardware.memories[0].latency = 3;
  hardware.memories[1].offchip = true;
  hardware.memories[1].bandwidth = per_cycle(4);
  hardware.memories[1].latency = 100;
  hardware.memories[1].write_latency = 50;
  hardware.memories[1].burst = 64;
  hardware.dma.outstanding = 8;
  const ArrayPort on_chip = port_of(hardware);
  EXPECT_EQ(on_chip.read_bytes_per_cycle, 16);
  EXPECT_EQ(on_chip.read_latency, 3);
  const ArrayPort port = port_of(hardware, {.input = 1, .output = 2});
  EXPECT_DOUBLE_EQ(port.read_bytes_per_cycle, 4);
  EXPECT_EQ(port.read_latency, 100);
  EXPECT_DOUBLE_EQ(port.write_bytes_per_cycle, 2) << "of two bytes that come one is wanted";
  EXPECT_EQ(port.write_latency, 50);
  EXPECT_EQ(port_of(hardware, {.input = 1}).write_bytes_per_cycle, 16);
  hardware.dma.outstanding = 1;  // one burst per hundred cycles
  EXPECT_DOUBLE_EQ(port_of(hardware, {.input = 1}).read_bytes_per_cycle, 0.64);
}

TEST(Mapping, TheBestOfThoseWithTheMostSpecialNameIsTaken) {
  Engine engine{.name = "mac",
                .maps = {{.name = "dense", .ops = {"conv"}, .unroll = {{"K", 8}, {"C", 8}}},
                         {.name = "plane", .ops = {"conv"}, .unroll = {{"H", 8}, {"W", 8}}},
                         {.name = "deep", .ops = {"depthwise"}, .unroll = {{"K", 4}}}}};
  const auto chosen = [&](const One& one) {
    const Op& op = one.net.ops[0];
    const tiling::OpLoops loops =
        tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
    return array_cost(op, loops, engine, {}).mapping;
  };
  EXPECT_EQ(chosen(convolution({64, 4, 4, 64, 4, 4, 1, 1}, false)), 0U);
  EXPECT_EQ(chosen(convolution({3, 64, 64, 4, 64, 64, 3, 1}, false)), 1U);
  EXPECT_EQ(chosen(convolution({64, 64, 64, 64, 64, 64, 3, 1}, true)), 2U);
  engine.maps.pop_back();  // then a convolution of 64 groups
  EXPECT_EQ(chosen(convolution({64, 64, 64, 64, 64, 64, 3, 1}, true)), 1U);
}

TEST(Mapping, StridedColumnsOfAnInputStandSideBySideAsChannels) {
  Engine engine{.name = "mac", .maps = {{.name = "m", .ops = {"conv"}, .unroll = {{"C", 8}}}}};
  // 1 channel of 49 x 10, a kernel of 10 x 4 with stride 2 and a column of padding: 3 columns of 2.
  One one = convolution({1, 49, 10, 64, 25, 5, 10, 2}, false);
  Op& op = one.net.ops[0];
  one.net.inputs = {op.inputs[0]};
  one.net.tensors[op.inputs[1]].shape = {64, 1, 10, 4};
  op.pad_begin = {4, 1};
  op.pad_end = {5, 1};
  const auto cycles = [&] {
    const tiling::OpLoops loops =
        tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
    EXPECT_LE(least_array_cycles(op, loops, engine), array_cost(op, loops, engine, {}).cycles);
    return array_cost(op, loops, engine, {}).cycles;
  };
  EXPECT_EQ(cycles(), 64.0 * 25 * 5 * 40);
  engine.maps[0].folds_columns = true;
  EXPECT_EQ(cycles(), 64.0 * 25 * 5 * 30);
  one.net.tensors[op.inputs[0]].shape[3] = 11;  // not divisible by the stride
  EXPECT_EQ(cycles(), 64.0 * 25 * 5 * 40);
  one.net.tensors[op.inputs[0]].shape[3] = 10;
  one.net.inputs.clear();  // made by an op, possibly in bricks
  EXPECT_EQ(cycles(), 64.0 * 25 * 5 * 40);
}

/// The last layer of FSRCNN: the Ethos-U's estimator reports 312,256,694 cycles on u55-128, where
/// four steps of 128 products take 4 cycles each.
TEST(Mapping, WhatATransposedConvolutionReadsMayBeSpreadWithZeros) {
  Engine engine{.name = "mac", .maps = {{.name = "m", .ops = {"conv"}, .unroll = {{"C", 8}}}}};
  One one = convolution({56, 360, 640, 1, 720, 1280, 9, 2}, false);
  Op& op = one.net.ops[0];
  op.kind = OpKind::conv_transpose;
  one.net.tensors[op.inputs[1]].shape = {56, 1, 9, 9};
  const auto cycles = [&] {
    const tiling::OpLoops loops =
        tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
    EXPECT_LE(least_array_cycles(op, loops, engine), array_cost(op, loops, engine, {}).cycles);
    return array_cost(op, loops, engine, {}).cycles;
  };
  EXPECT_EQ(cycles(), 720.0 * 1280 * 7 * 5 * 5);
  engine.maps[0].spreads_input = true;
  EXPECT_EQ(cycles(), 720.0 * 1280 * 7 * 9 * 9);
  // A block of 8 x 8 needs 8 + 8 rows and columns of the zero-padded input; half of them exist.
  engine.blocks = BlockRule{.buffer = 1 << 20, .most = {{"H", 8}, {"W", 8}}};
  const tiling::OpLoops loops = tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
  EXPECT_EQ(array_cost(op, loops, engine, {}).input_bytes,
            90.0 * 160 * 8 * 8 * 56 * static_cast<double>(loops.input_element));
}

TEST(Mapping, GroupsSideBySideLeaveOneAfterTheOther) {
  Engine engine{.name = "mac",
                .maps = {{.name = "m", .ops = {"conv"}, .unroll = {{"G", 8}, {"W", 8}}}},
                .output_cycles = 2};
  const One one = convolution({32, 8, 8, 32, 8, 8, 1, 1}, true);
  const Op& op = one.net.ops[0];
  const tiling::OpLoops loops = tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
  EXPECT_EQ(array_cost(op, loops, engine, {}).cycles, 2.0 * 32 * 8 * 8);
  EXPECT_LE(least_array_cycles(op, loops, engine), array_cost(op, loops, engine, {}).cycles);
  engine.output_cycles = 0;
  engine.channel_cycles = 100;
  EXPECT_EQ(array_cost(op, loops, engine, {}).cycles, 100.0 * 32);
}

TEST(Mapping, WeightsThatArriveSlowlyBoundAProductOfOneRow) {
  Engine engine{.name = "mac",
                .maps = {{.name = "m",
                          .ops = {"conv", "matmul"},
                          .unroll = {{"K", 8}, {"C", 32}},
                          .cycles = 4,
                          .least = 32}}};
  One one;
  Op op{.name = "fc", .kind = OpKind::matmul};
  op.inputs = {one.tensor({1, 640}), one.tensor({640, 128}, TensorKind::weight)};
  op.outputs = {one.tensor({1, 128})};
  one.net.ops = {op};
  const tiling::OpLoops loops = tiling::loops_of(one.net, op, std::vector<Dim>{1, 128});
  EXPECT_EQ(loops.op_class, tiling::OpClass::fc);
  const ArrayCost cost = array_cost(op, loops, engine, {});
  EXPECT_EQ(cost.cycles, 32.0 * 20 * 16);  // 8 multiplications per cycle
  EXPECT_EQ(cost.bound_by, BoundBy::weights);
}

TEST(Mapping, OfBlocksThatFetchAsMuchTheProfileSaysWhich) {
  Engine engine{.name = "mac",
                .maps = {{.name = "m", .ops = {"elementwise"}, .unroll = {{"K", 8}}, .start = 10}},
                .blocks = {.buffer = 1 << 20, .most = {{"K", 8}, {"H", 4}, {"W", 4}}}};
  One one;
  Op op{.name = "relu", .kind = OpKind::elementwise, .function = "relu"};
  op.inputs = {one.tensor({1, 8, 6, 6})};
  op.outputs = {one.tensor({1, 8, 6, 6})};
  one.net.ops = {op};
  const auto cycles = [&] {
    const tiling::OpLoops loops = tiling::loops_of(one.net, op, std::vector<Dim>{1, 8, 6, 6});
    return array_cost(op, loops, engine, {}).cycles;
  };
  EXPECT_EQ(cycles(), 4 * (10 + 9));  // of 3 x 3
  engine.blocks.equal = EqualBlocks::first;
  EXPECT_EQ(cycles(), 36 * (10 + 1));
  engine.blocks.small = 2;
  EXPECT_EQ(cycles(), 9 * (10 + 4));
  engine.blocks.small = 4;
  EXPECT_EQ(cycles(), (10 + 16) + 2 * (10 + 8) + (10 + 4));
  engine.blocks.partial = PartialBlocks::whole;
  EXPECT_EQ(cycles(), 4 * (10 + 16));
}

TEST(Mapping, UtilisationIsOfTheCellsThereAre) {
  EXPECT_EQ(peak_macs({.name = "mac", .unroll = {{"C", 64}, {"K", 32}, {"G", 8}}}), 64 * 32 * 8);
  EXPECT_EQ(peak_macs({.name = "mac", .unroll = {{"C", 64}, {"K", 32}}, .cores = 3}), 64 * 32 * 3)
      << "cores share the steps of one unroll as they do those of maps";
  EXPECT_EQ(
      peak_macs({.name = "mac",
                 .maps = {{.name = "a", .unroll = {{"C", 32}, {"K", 8}, {"W", 4}}, .cycles = 4},
                          {.name = "b", .unroll = {{"K", 8}}}},
                 .cores = 2}),
      512);
}

/// Cut at random places along rows, columns and, unless they are whole, channels.
std::vector<std::vector<Dim>> pieces(Random& random, const std::vector<Dim>& shape,
                                     bool whole_channels) {
  std::vector<std::vector<Dim>> list{shape};
  for (std::size_t axis = whole_channels ? 2 : 1; axis < shape.size(); ++axis) {
    std::vector<std::vector<Dim>> cut;
    for (const std::vector<Dim>& piece : list) {
      Dim rest = piece[axis];
      while (rest > 0) {
        std::vector<Dim> part = piece;
        part[axis] = random.chance(50) ? rest : random.between(1, rest);
        rest -= part[axis];
        cut.push_back(part);
      }
    }
    list = std::move(cut);
  }
  return list;
}

TEST(Mapping, NoCutIntoPiecesBeatsTheLeast) {
  Random random(setting("TESSERA_SEED", 1));
  for (std::uint64_t k = 0; k < setting("TESSERA_CASES", testing::effort(400)); ++k) {
    const Dim channels = random.between(1, 20);
    const bool depthwise = random.chance(30);
    const Dim rows = random.between(1, 12);
    const Dim columns = random.between(1, 12);
    const One one =
        convolution({channels, rows, columns, depthwise ? channels : random.between(1, 20), rows,
                     columns, random.between(1, 5), random.between(1, 2)},
                    depthwise);
    const Op& op = one.net.ops[0];
    const std::vector<Dim>& whole = one.net.tensors[op.outputs[0]].shape;
    const Engine engine = testing::random_array(random);
    const tiling::OpLoops loops = tiling::loops_of(one.net, op, whole);
    const bool whole_channels = random.chance(50);
    const double least = least_array_cycles(op, loops, engine, whole_channels);
    EXPECT_GE(least, least_array_cycles(op, loops, engine));
    const ArrayPort port{2, 2, 5, 5};
    double sum = 0;
    for (const std::vector<Dim>& piece : pieces(random, whole, whole_channels)) {
      const ArrayCost cost = array_cost(op, tiling::loops_of(one.net, op, piece), engine, port);
      ASSERT_TRUE(std::isfinite(cost.cycles)) << k;
      sum += cost.cycles;
    }
    ASSERT_LE(least, sum * (1 + 1e-9)) << "case " << k;
  }
}

}  // namespace
}  // namespace tessera::cost
