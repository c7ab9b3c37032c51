#include "cost/group_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/fetch_bound.h"
#include "tests/support/convolutions.h"
#include "tests/support/machines.h"
#include "tiling/subgraph.h"

namespace tessera::cost {
namespace {

using testing::add_tensor;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// 16 channels over 32 x 32: 16384 bytes per tensor, 2304 of weights each.
Network convolutions(int count, Dim pad = 1) {
  return testing::convolutions(count, {.channels = 16, .rows = 32, .columns = 32, .pad = pad});
}

std::vector<std::pair<TensorIndex, std::int64_t>> fetched(const Network& net,
                                                          const Hardware& hardware) {
  const auto readers = tiling::last_readers(net);
  const ChannelUse use(net, readers);
  FetchBound bound(net, hardware, use, std::vector<Passing>(net.ops.size(), {16384, 16384}));
  bound.find(0, net.ops.size() - 1);
  return bound.times();
}

TEST(FetchBound, WeightsThatCannotStayAreFetchedPerTile) {
  // 6000 - 2304 bytes remain beside the weights: 32768 bytes pass in at least 9 tiles. The last
  // convolution may make some of its channels at a time.
  EXPECT_THAT(fetched(convolutions(3), testing::toy_machine(6000)),
              ElementsAre(Pair(1, 9), Pair(3, 9)));
}

TEST(FetchBound, WeightsThatMayStayAreFetchedOnce) {
  EXPECT_THAT(fetched(convolutions(3), testing::toy_machine(6912)), IsEmpty());
  Hardware never = testing::toy_machine(6912);
  never.tiling.weights = {WeightPolicy::refetch};
  EXPECT_THAT(fetched(convolutions(3), never), ElementsAre(Pair(1, 8), Pair(3, 8)));
}

TEST(FetchBound, OfSumsInPartsOnePartIsThereAtATime) {
  // All weights of a convolution, 2304 bytes, exceed the capacity; half of them fit. Therefore the
  // first of two convolutions may run in parts; the second, whose input is made in the group, may
  // not.
  Hardware small = testing::toy_machine(2048);
  small.tiling.reduction = {1};
  EXPECT_THAT(fetched(convolutions(2), small), ElementsAre(Pair(1, 1 << 16)));
  small.tiling.reduction = {1, 2};
  // 16384 bytes and half of that pass in 2048 - 1152 bytes.
  EXPECT_THAT(fetched(convolutions(2), small), ElementsAre(Pair(1, 28)));
}

TEST(FetchBound, NothingIsSaidWhereTilesRelyOnOthers) {
  Hardware keeping = testing::toy_machine(6000);
  keeping.tiling.halo = {HaloPolicy::recompute, HaloPolicy::keep};
  EXPECT_THAT(fetched(convolutions(3), keeping), IsEmpty());
}

TEST(ChannelUse, EveryTileNeedsTheWeightsBeforeTheAnchor) {
  const Network net = convolutions(3);
  const auto readers = tiling::last_readers(net);
  const ChannelUse use(net, readers);
  // The last convolution may make some of its channels at a time, the others make all.
  EXPECT_THAT(use.in_every_tile({0, 2}, 2), ElementsAre(1, 3));
  EXPECT_THAT(use.in_every_tile({1, 2}, 2), ElementsAre(3));
  EXPECT_THAT(use.in_every_tile({2, 2}, 2), IsEmpty());
}

/// A squeeze, two expansions of it, and their concatenation: a tile of some channels may need one
/// expansion only, but always the squeeze.
TEST(ChannelUse, OneOperandOfAConcatenationIsAlwaysNeeded) {
  Network net = testing::convolutions(2, {.channels = 4, .rows = 8, .columns = 8, .pad = 1});
  Op other = net.ops[1];
  other.name = "other";
  const TensorIndex weight = net.ops[1].inputs[1];
  other.inputs[1] = add_tensor(net, net.tensors[weight].shape, TensorKind::weight);
  other.outputs = {add_tensor(net, {1, 4, 8, 8}, TensorKind::activation)};
  Op concat;
  concat.name = "concat";
  concat.kind = OpKind::concat;
  concat.inputs = {net.ops[1].outputs[0], other.outputs[0]};
  concat.axes = {1};
  concat.outputs = {add_tensor(net, {1, 8, 8, 8}, TensorKind::activation)};
  net.ops.push_back(other);
  net.ops.push_back(concat);
  net.outputs = concat.outputs;
  const auto readers = tiling::last_readers(net);
  const ChannelUse use(net, readers);
  EXPECT_THAT(use.in_every_tile({0, 3}, 3), ElementsAre(net.ops[0].inputs[1]));
  EXPECT_THAT(use.in_every_tile({1, 3}, 3), IsEmpty());
}

TEST(RunBounds, CountFetchesAgain) {
  const Network net = convolutions(3);
  const Metrics small = GroupBounds(net, testing::toy_machine(6000)).of(0, 2);
  const Metrics large = GroupBounds(net, testing::toy_machine(1 << 20)).of(0, 2);
  EXPECT_EQ(large.dram_bytes, 2 * 16384 + 3 * 2304);
  EXPECT_EQ(small.dram_bytes, large.dram_bytes + 2 * 8 * 2304);
  EXPECT_GE(small.latency_cycles, large.latency_cycles);
}

/// Found by random tests: the slice needs no output of the first op. Its windows lie in the
/// padding, so the data it seems to read is never made.
TEST(RunBounds, WhatIsOnlyPaddedAwayIsNotMade) {
  Network net = testing::convolutions(2, {.channels = 16, .rows = 32, .columns = 32, .pad = 1});
  Op& last = net.ops[1];
  net.tensors[last.inputs[1]].shape = {16, 16, 1, 1};
  net.tensors[last.outputs[0]].shape = {16, 16, 1, 1};
  net.tensors[last.outputs[0]].shape[0] = 1;
  last.kernel = {1, 1};
  last.stride = {64, 64};
  last.pad_begin = {2, 2};
  last.pad_end = {0, 0};
  const Hardware tiny = testing::toy_machine(1024);  // less than the weights of the first
  GroupBounds bounds(net, tiny);
  EXPECT_LT(bounds.of(0, 1).dram_bytes, 64 * 1024);
}

TEST(RunBounds, ASliceMayLeaveOutAnOperandOfAConcatenation) {
  Network net;
  const TensorIndex a = add_tensor(net, {1, 2, 4, 4}, TensorKind::activation);
  const TensorIndex b = add_tensor(net, {1, 2, 4, 4}, TensorKind::activation);
  const TensorIndex made = add_tensor(net, {1, 2, 4, 4}, TensorKind::activation);
  const TensorIndex both = add_tensor(net, {1, 4, 4, 4}, TensorKind::activation);
  const TensorIndex part = add_tensor(net, {1, 2, 4, 4}, TensorKind::activation);
  net.inputs = {a, b};
  net.outputs = {part};
  Op relu;
  relu.name = "relu";
  relu.kind = OpKind::elementwise;
  relu.function = "relu";
  relu.inputs = {a};
  relu.outputs = {made};
  Op concat;
  concat.name = "concat";
  concat.kind = OpKind::concat;
  concat.inputs = {made, b};
  concat.axes = {1};
  concat.outputs = {both};
  Op slice;
  slice.name = "slice";
  slice.kind = OpKind::slice;
  slice.inputs = {both};
  slice.axes = {1};
  slice.begins = {2};
  slice.steps = {1};
  slice.extents = {2};
  slice.outputs = {part};
  net.ops = {relu, concat, slice};
  EXPECT_LE(GroupBounds(net, testing::toy_machine(1 << 20)).of(0, 2).dram_bytes, 32 + 32);
}

}  // namespace
}  // namespace tessera::cost
