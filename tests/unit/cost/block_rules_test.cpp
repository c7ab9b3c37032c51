// Rules of block buffers and passes, by hand.
#include <gtest/gtest.h>

#include "cost/compute.h"
#include "cost/group_parts.h"
#include "cost/mapping.h"
#include "cost/transfer.h"
#include "tests/support/one_op.h"

namespace tessera::cost {
namespace {

using testing::convolution;
using testing::One;

/// 2 x 2 places, 8 channels, 8 input channels in a step.
Engine block_array() {
  Engine engine;
  engine.maps.resize(1);
  engine.maps[0].ops = {"conv"};
  engine.maps[0].unroll = {{"H", 2}, {"W", 2}, {"K", 8}, {"C", 8}};
  engine.blocks.buffer = 1 << 20;
  engine.blocks.most = {{"H", 4}, {"W", 4}, {"K", 8}};
  return engine;
}

double cycles_in_blocks(const One& one, const Engine& engine, const ArrayPort& port = {}) {
  const Op& op = one.net.ops[0];
  const tiling::OpLoops loops = tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
  return array_cost_of_block(op, loops, engine, port, 0, {.channels = 8, .rows = 4, .columns = 4})
      .cycles;
}

TEST(BlockRules, APassHasTheStepsOfItsInputChannels) {
  // Two blocks of 4 x 4, each with 4 places; 20 input channels are 3 steps.
  const One one = convolution({20, 4, 8, 8, 4, 8, 1, 1}, false);
  Engine engine = block_array();
  engine.maps[0].least = 10;
  EXPECT_EQ(cycles_in_blocks(one, engine), 2 * 3 * 10);  // passes of 4 steps, raised to 10
  engine.maps[0].pass_depth = 16;
  EXPECT_EQ(cycles_in_blocks(one, engine), 2 * 2 * 10);  // two passes of 8 steps, raised to 10
  engine.maps[0].pass_depth = 64;
  EXPECT_EQ(cycles_in_blocks(one, engine), 2 * 12);  // one pass of 4 x 3 steps
}

TEST(BlockRules, PassesOfOnePlaceWaitForTheSumsBefore) {
  // One place, 9 taps, 2 steps of input channels: 18 passes.
  const One one = convolution({16, 4, 4, 8, 2, 2, 3, 1}, false);
  Engine engine = block_array();
  EXPECT_EQ(cycles_in_blocks(one, engine), 18);
  engine.maps[0].wait = 2;
  EXPECT_EQ(cycles_in_blocks(one, engine), 18 + 17 * 2);
  engine.maps[0].input_depth = 8;  // two parts of the input: each begins without a wait
  EXPECT_EQ(cycles_in_blocks(one, engine), 18 + 16 * 2);
  // Several places: no wait.
  EXPECT_EQ(cycles_in_blocks(convolution({16, 6, 6, 8, 4, 4, 3, 1}, false), engine), 18 * 4);
}

TEST(BlockRules, BlocksCountInShares) {
  // 6 x 6 outputs are 9 places, of which a block has 4.
  const One one = convolution({8, 6, 6, 8, 6, 6, 1, 1}, false);
  Engine engine = block_array();
  engine.output_cycles = 0.25;  // 32 cycles for 128 outputs of a block, computed in 4
  engine.blocks.partial = PartialBlocks::share;
  EXPECT_EQ(cycles_in_blocks(one, engine), 9.0 / 4 * 32 + 4);
}

TEST(BlockRules, ReadingAndWritingOverlap) {
  const ArrayPort port{.read_bytes_per_cycle = 1,
                       .write_bytes_per_cycle = 2,
                       .read_latency = 10,
                       .write_latency = 20};
  // Two blocks of 4 x 4: read in 10 + 128 cycles, written in 20 + 64, computed in 4.
  const One one = convolution({8, 4, 8, 8, 4, 8, 1, 1}, false);
  Engine engine = block_array();
  engine.blocks.stages = 2;
  EXPECT_EQ(cycles_in_blocks(one, engine, port), 3 * (138 + 84 + 4) / 2.0);
  engine.blocks.transfers = BlockTransfers::overlapped;
  // The first read and the last write are extra; compute and output wait for the difference.
  EXPECT_EQ(cycles_in_blocks(one, engine, port), 3 * (138 - 84 + 4) / 2.0 + 138 + 84);
  // A single block waits for no other one.
  const One single = convolution({8, 4, 4, 8, 4, 4, 1, 1}, false);
  EXPECT_EQ(cycles_in_blocks(single, engine, port), 4 + 2 + 138 + 84);
}

TEST(BlockRules, SumsHaveABufferOfTheirOwn) {
  const One one = convolution({8, 8, 8, 8, 8, 8, 1, 1}, false);
  const Op& op = one.net.ops[0];
  const tiling::OpLoops loops = tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
  Engine engine = block_array();
  engine.blocks.most = {{"H", 8}, {"W", 8}, {"K", 8}};
  // Each block reads all 64 bytes of weights.
  const auto blocks = [&] { return array_cost(op, loops, engine, {}).weight_bytes / 64; };
  // Two blocks of 8 x 8 pixels with 8 channels, and of as many sums of 4 bytes.
  engine.blocks.buffer = 2 * 512 + 2 * 2048;
  EXPECT_EQ(blocks(), 1);
  engine.blocks.buffer = 2 * 512;
  EXPECT_GT(blocks(), 1);
  engine.blocks.sum_buffer = 2 * 2048;
  EXPECT_EQ(blocks(), 1);
}

TEST(BlockRules, AnOpWithoutAFusedFunctionLeavesSlower) {
  One one = convolution({8, 4, 4, 8, 4, 4, 1, 1}, false);
  Engine engine = block_array();
  engine.output_cycles = 0.5;
  engine.unfused_output_cycles = 1;
  EXPECT_EQ(cycles_in_blocks(one, engine), 128 + 4);
  one.net.ops[0].fused.resize(1);
  EXPECT_EQ(cycles_in_blocks(one, engine), 64 + 4);
}

TEST(AccessRates, LimitEachUserOfAMemory) {
  HardwareMemory memory;
  memory.rates.input = Bandwidth{2, true};
  memory.rates.output = Bandwidth{4, true};
  EXPECT_EQ(rated_cycles(memory, 1e9, {.input = 64, .weights = 1000, .output = 64}), 32);
  EXPECT_EQ(rated_cycles(memory, 1e9, {.input = 0, .weights = 0, .output = 64}), 16);
}

TEST(AccessRates, LimitLoadsOfTheDmaAndDirectAccesses) {
  Hardware hardware;
  hardware.clock_hz = 1e9;
  HardwareMemory& dram = hardware.memories.emplace_back();
  dram.offchip = true;
  dram.bandwidth = Bandwidth{8, true};
  dram.rates.input = Bandwidth{4, true};
  dram.rates.dma = Bandwidth{2, true};
  const Link link = links_of(hardware).data;
  const BurstCount count{.bursts = 64, .bytes = 64, .rows = 1};
  EXPECT_EQ(transfer_cost(count, link, true).cycles, 32);
  EXPECT_EQ(transfer_cost(count, link, true).shared, 8);
  EXPECT_EQ(transfer_cost(count, link, false).cycles, 8);
  EXPECT_EQ(transfer_cost(count, direct_link(link), true).cycles, 16);
  EXPECT_EQ(transfer_cost(count, fastest_link(link), true).cycles, 16);
  EXPECT_EQ(least_cycles_per_byte(fastest_link(link), true, 1), 0.25);
  EXPECT_EQ(least_cycles_per_byte(fastest_link(link), false, 1), 0.125);
}

}  // namespace
}  // namespace tessera::cost
