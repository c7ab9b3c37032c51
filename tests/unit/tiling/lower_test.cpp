#include "tiling/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/validate.h"
#include "tests/support/random_network.h"

namespace tessera::tiling {
namespace {

using ::testing::ElementsAre;

/// x -> conv -> t -> conv -> y; y depends only on t.
Network two_convolutions() {
  Network net;
  const auto tensor = [&](const char* name, std::vector<Dim> shape, TensorKind kind) {
    net.tensors.push_back({.name = name,
                           .shape = std::move(shape),
                           .type = ElementType::int8,
                           .kind = kind,
                           .view_of = std::nullopt});
    return net.tensors.size() - 1;
  };
  const TensorIndex x = tensor("x", {1, 2, 12, 8}, TensorKind::activation);
  const TensorIndex t = tensor("t", {1, 2, 12, 8}, TensorKind::activation);
  const TensorIndex y = tensor("y", {1, 2, 12, 8}, TensorKind::activation);
  const auto conv = [&](const char* name, TensorIndex from, TensorIndex to, const char* weights) {
    Op op;
    op.name = name;
    op.kind = OpKind::conv;
    op.inputs = {from, tensor(weights, {2, 2, 3, 3}, TensorKind::weight)};
    op.outputs = {to};
    op.kernel = {3, 3};
    op.stride = op.dilation = op.pad_begin = op.pad_end = {1, 1};
    net.ops.push_back(std::move(op));
  };
  conv("c0", x, t, "w0");
  conv("c1", t, y, "w1");
  net.inputs = {x};
  net.outputs = {y};
  return net;
}

Hardware machine() {
  Hardware hardware;
  HardwareMemory memory;
  memory.space = {.name = "sram", .capacity = 1 << 20};
  hardware.memories.push_back(memory);
  memory.space.name = "dram";
  memory.offchip = true;
  hardware.memories.push_back(memory);
  return hardware;
}

const Buffer& named(const Lowering& lowering, const std::string& id) {
  for (const Buffer& buffer : lowering.problem.buffers)
    if (buffer.id == id) return buffer;
  throw std::out_of_range(id);
}

struct Fixture {
  Network net = two_convolutions();
  Subgraph part = make_subgraph(net, {0, 1});
  TileSpace space = tile_space(part);
  Lowering with(const TileVariant& options) { return lower(part, space, machine(), options); }
};

TEST(Lower, SingleBufferRefetch) {
  Fixture f;
  const Lowering l = f.with({.weights = WeightPolicy::refetch});
  EXPECT_FALSE(l.across_tiles);
  EXPECT_THAT(named(l, "x").live, ElementsAre(StepRange{0, 1}));
  EXPECT_THAT(named(l, "t").live, ElementsAre(StepRange{0, 2}));
  EXPECT_THAT(named(l, "y").live, ElementsAre(StepRange{1, 2}));
  EXPECT_THAT(named(l, "w1").live, ElementsAre(StepRange{1, 2}));
  EXPECT_EQ(named(l, "w1").kind, BufferKind::weight);
  EXPECT_THAT(named(l, "t").write, ElementsAre(0));
  EXPECT_THAT(named(l, "t").read, ElementsAre(1));
  EXPECT_EQ(l.problem.memories.size(), 1U);
}

TEST(Lower, ResidentWeightsLiveThroughAllTiles) {
  Fixture f;
  const Lowering l = f.with({.weights = WeightPolicy::resident});
  EXPECT_TRUE(l.across_tiles);
  EXPECT_THAT(named(l, "w1").live, ElementsAre(StepRange{0, 2}));
}

TEST(Lower, DoubleBufferingHasTwoCopiesOverTwoTiles) {
  Fixture f;
  const Lowering l = f.with({.double_buffer = true, .weights = WeightPolicy::refetch});
  EXPECT_THAT(named(l, "x.ping").live, ElementsAre(StepRange{0, 1}, StepRange{2, 4}));
  EXPECT_THAT(named(l, "x.ping").read, ElementsAre(0));
  EXPECT_THAT(named(l, "x.ping").write, ElementsAre(3));  // the step before the even tile
  EXPECT_THAT(named(l, "x.pong").live, ElementsAre(StepRange{0, 3}));
  EXPECT_THAT(named(l, "x.pong").write, ElementsAre(1));
  EXPECT_THAT(named(l, "t").live, ElementsAre(StepRange{0, 4}));
  EXPECT_THAT(named(l, "y.ping").write, ElementsAre(1));
  EXPECT_THAT(named(l, "y.ping").read, ElementsAre(2));  // stored while the odd tile runs
  EXPECT_THAT(named(l, "w1").live, ElementsAre(StepRange{0, 4}));
  EXPECT_TRUE(validate(l.problem).empty());
}

TEST(Lower, WhatHasOneCopyIsMovedOneStepEarlyOrLate) {
  Fixture f;
  TileVariant options{.double_buffer = true, .weights = WeightPolicy::refetch};
  options.one_copy = OneCopy::inputs_outputs;
  const Lowering l = f.with(options);
  // x is read at step 0 and loaded in the step before; y is made at step 1 and stored at step 0 of
  // the next tile.
  EXPECT_THAT(named(l, "x").live, ElementsAre(StepRange{0, 4}));
  EXPECT_THAT(named(l, "x").read, ElementsAre(0, 2));
  EXPECT_THAT(named(l, "x").write, ElementsAre(1, 3));
  EXPECT_THAT(named(l, "y").live, ElementsAre(StepRange{0, 4}));
  EXPECT_THAT(named(l, "y").read, ElementsAre(0, 2));
  EXPECT_THAT(named(l, "y").write, ElementsAre(1, 3));
  EXPECT_TRUE(validate(l.problem).empty());
  options.one_copy = OneCopy::outputs_weights;
  const Lowering other = f.with(options);
  EXPECT_THAT(named(other, "x.pong").live, ElementsAre(StepRange{0, 3}));
  EXPECT_THAT(named(other, "w1").live, ElementsAre(StepRange{0, 4}));  // it has one anyway
}

TEST(Lower, WhereEveryStepUsesItOneCopyIsMovedBetweenSteps) {
  const Network net = two_convolutions();
  const Subgraph part = make_subgraph(net, {0, 0});
  const TileSpace space = tile_space(part);
  TileVariant options{.double_buffer = true, .weights = WeightPolicy::refetch};
  for (const OneCopy one_copy : {OneCopy::inputs, OneCopy::outputs, OneCopy::weights}) {
    options.one_copy = one_copy;
    const Lowering l = lower(part, space, machine(), options);
    int single = 0;
    for (const Buffer& buffer : l.problem.buffers) {
      if (buffer.id.ends_with(".ping") || buffer.id.ends_with(".pong")) continue;
      ++single;
      EXPECT_THAT(buffer.live, ElementsAre(StepRange{0, 2}));
      EXPECT_EQ(buffer.write.size() + buffer.read.size(), 2U);
    }
    EXPECT_EQ(single, 1);
  }
}

TEST(Lower, KeptHalosLiveThroughAllTiles) {
  Fixture f;
  const Lowering l = f.with({.halo = HaloPolicy::keep});
  EXPECT_THAT(named(l, "x.rows").live, ElementsAre(StepRange{0, 2}));
  EXPECT_THAT(named(l, "t.columns").read, ElementsAre(1));
  TileGeometry geometry(f.part, HaloPolicy::keep);
  const TileGrid grid = geometry.grid({{2, 3, 8}});
  // An inner band of 3 rows loads 3 new rows of x; the overlap with the band above is kept.
  const TileRegions inner = geometry.tile_at({{2, 3, 8}}, {0, 1, 0});
  EXPECT_EQ(inner.needed[0][2].size(), 5);
  EXPECT_EQ(inner.fresh[0][2].size(), 3);
  for (std::size_t b = 0; b < l.buffers.size(); ++b) {
    if (l.problem.buffers[b].id != "x.rows") continue;
    EXPECT_EQ(tile_sizes(f.part, f.space, l, inner)[b], 2 * 8 * 2);
  }
  EXPECT_EQ(demands(f.part, f.space, l, grid.tiles).size(), 1U);
}

TEST(Lower, WhatIsKeptIsInOneBufferAlone) {
  Fixture f;
  const Lowering l = f.with({.halo = HaloPolicy::keep});
  const auto size = [&](const TileRegions& tile, const std::string& id) {
    for (std::size_t b = 0; b < l.buffers.size(); ++b)
      if (l.problem.buffers[b].id == id) return tile_sizes(f.part, f.space, l, tile)[b];
    return Size{0};
  };
  TileGeometry geometry(f.part, HaloPolicy::keep);
  // The last row of y needs two rows of t, which the band above has left: no row is fresh, and
  // there is no tile to the left.
  const TileRegions below = geometry.tile_at({{2, 11, 8}}, {0, 1, 0});
  EXPECT_TRUE(below.fresh[1].none);
  EXPECT_EQ(size(below, "t.rows"), 2 * 8 * 2);
  EXPECT_EQ(size(below, "t.columns"), 1);
  const TileRegions right = geometry.tile_at({{2, 12, 7}}, {0, 0, 1});
  EXPECT_TRUE(right.fresh[1].none);
  EXPECT_EQ(size(right, "t.columns"), 12 * 2 * 2);
  EXPECT_EQ(size(right, "t.rows"), 1);
  // In the corner two columns of all rows, and of the fresh ones, of which there are none.
  const TileRegions corner = geometry.tile_at({{2, 11, 7}}, {0, 1, 1});
  EXPECT_EQ(size(corner, "t.rows"), 2 * 8 * 2);
  EXPECT_EQ(size(corner, "t.columns"), 1);
}

TEST(Lower, RestrictionsBecomeRelations) {
  Fixture f;
  Hardware hardware = machine();
  hardware.restrictions.push_back({RelationKind::different_banks, {"input", "output"}});
  const Lowering l = lower(f.part, f.space, hardware, {});
  ASSERT_EQ(l.problem.relations.size(), 2U);  // x with t, t with y
  for (const Relation& relation : l.problem.relations)
    EXPECT_EQ(relation.kind, RelationKind::different_banks);
}

/// An array that reads from one memory and writes to the other.
Hardware one_way_machine() {
  Hardware hardware = machine();
  hardware.memories.insert(hardware.memories.begin() + 1, hardware.memories[0]);
  hardware.memories[1].space.name = "out";
  Engine mac{.name = "mac"};
  mac.unroll = {{"C", 4}};
  mac.reach = {.input = {hardware.memories[0].space.name},
               .weights = {hardware.memories[0].space.name},
               .output = {"out"}};
  hardware.engines = {mac};
  return hardware;
}

TEST(Lower, WhatNoMemoryServesLiesInTwo) {
  Fixture f;
  const Lowering l = lower(f.part, f.space, one_way_machine(), {.weights = WeightPolicy::refetch});
  EXPECT_THAT(named(l, "x").memories, ElementsAre(0U));
  EXPECT_THAT(named(l, "w1").memories, ElementsAre(0U));
  EXPECT_THAT(named(l, "y").memories, ElementsAre(1U));
  // Made by the first op in one memory, read by the second from the other: both copies are live
  // while t is copied, before the second op begins.
  EXPECT_THAT(named(l, "t").memories, ElementsAre(1U));
  EXPECT_THAT(named(l, "t").live, ElementsAre(StepRange{0, 2}));
  EXPECT_THAT(named(l, "t").read, ElementsAre());
  EXPECT_THAT(named(l, "t.copy1").memories, ElementsAre(0U));
  EXPECT_THAT(named(l, "t.copy1").live, ElementsAre(StepRange{1, 2}));
  EXPECT_THAT(named(l, "t.copy1").read, ElementsAre(1));
  EXPECT_EQ(l.most_shares, 2U);
  EXPECT_TRUE(validate(l.problem).empty());
  const Lowering two = lower(f.part, f.space, one_way_machine(),
                             {.double_buffer = true, .weights = WeightPolicy::refetch});
  EXPECT_THAT(named(two, "t.copy1").live, ElementsAre(StepRange{1, 2}, StepRange{3, 4}));
  EXPECT_TRUE(validate(two.problem).empty());
}

TEST(Lower, EnginesThatReachEverythingShareEverything) {
  Fixture f;
  Hardware hardware = one_way_machine();
  hardware.engines[0].reach.output.push_back(hardware.memories[0].space.name);
  const Lowering l = lower(f.part, f.space, hardware, {.weights = WeightPolicy::refetch});
  EXPECT_EQ(l.most_shares, 1U);
  EXPECT_THAT(named(l, "t").memories, ElementsAre(0U)) << "where it is made and where it is read";
  EXPECT_THAT(named(l, "y").memories, ElementsAre()) << "anywhere";
}

TEST(Lower, WhatStaysOnTheChipIsThereAsAWhole) {
  const Network net = two_convolutions();
  Hardware hardware = machine();
  for (HardwareMemory& memory : hardware.memories) memory.writable = !memory.offchip;
  ASSERT_TRUE(stays_on_chip(hardware));
  const auto readers = last_readers(net);
  // Both ops: rows of x and y are kept, t belongs to the tile.
  const Subgraph both = make_subgraph(net, {0, 1}, readers, hardware);
  EXPECT_TRUE(both.passing.empty());
  TileGeometry geometry(both, HaloPolicy::recompute);
  for (const bool twice : {false, true}) {
    const Lowering l = lower(both, geometry.space(), hardware, {.double_buffer = twice});
    const Step period = twice ? 4 : 2;
    EXPECT_THAT(named(l, "x").live, ElementsAre(StepRange{0, period}));
    EXPECT_THAT(named(l, "y").live, ElementsAre(StepRange{0, period}));
    TileShape half = geometry.space().whole;
    half.extent[1] = (half.extent[1] + 1) / 2;
    const auto sizes = demands(both, geometry.space(), l, geometry.grid(half).tiles);
    ASSERT_EQ(sizes.size(), 1U) << "all tiles share one placement";
    for (std::size_t b = 0; b < l.buffers.size(); ++b) {
      const Size whole = l.problem.buffers[b].size;
      if (l.buffers[b].role == BufferRole::kept) {
        EXPECT_EQ(sizes[0][b], whole);
      } else if (l.problem.buffers[b].kind == BufferKind::activation) {
        EXPECT_LT(sizes[0][b], whole);
      }
    }
    EXPECT_TRUE(validate(l.problem).empty());
  }
  // With the first op alone, t waits for the second op; with the second alone, no tensor waits.
  const Subgraph first = make_subgraph(net, {0, 0}, readers, hardware);
  EXPECT_TRUE(first.passing.empty());
  const Lowering l = lower(first, tile_space(first), hardware, {});
  EXPECT_THAT(named(l, "t").write, ElementsAre(0));
  EXPECT_TRUE(first.tensors[0].kept);
}

/// t is resident in one memory, and its reader has a copy of the new rows of a tile in another one.
TEST(Lower, CopiesOfResidentTensorsKeepHalos) {
  const Network net = two_convolutions();
  const Hardware hardware = one_way_machine();
  const std::vector<TensorIndex> stays{net.ops[0].outputs[0]};
  const Subgraph part = make_subgraph(net, {1, 1}, last_readers(net), hardware, stays);
  TileGeometry geometry(part, HaloPolicy::keep);
  const Lowering l = lower(part, geometry.space(), hardware, {.halo = HaloPolicy::keep});
  EXPECT_EQ(named(l, "t").size, 2 * 12 * 8);
  TileShape shape = geometry.space().whole;
  shape.extent[1] = 4;  // the second tile reads rows 3 to 8, two of which the first one has read
  const std::vector<Size> sizes =
      tile_sizes(part, geometry.space(), l, geometry.tile_at(shape, {0, 1, 0}));
  Size rows = 0;
  for (std::size_t b = 0; b < l.buffers.size(); ++b)
    if (l.buffers[b].role != BufferRole::kept && l.problem.buffers[b].id.starts_with("t."))
      rows += sizes[b];
  EXPECT_EQ(rows, 2 * 6 * 8 + 1) << "and one byte for columns, of which none are kept";
}

TEST(Lower, WhatWaitsForLaterRunsIsThereToo) {
  Network net = two_convolutions();
  net.outputs.push_back(net.ops[0].outputs[0]);  // t is a result, too
  Hardware hardware = machine();
  for (HardwareMemory& memory : hardware.memories) memory.writable = !memory.offchip;
  // A third op that uses neither x nor t.
  Op again = net.ops[1];
  again.name = "c2";
  again.inputs[0] = net.ops[1].outputs[0];
  net.tensors.push_back(net.tensors[again.inputs[0]]);
  net.tensors.back().name = "z";
  again.outputs = {net.tensors.size() - 1};
  net.ops.push_back(again);
  net.outputs.push_back(again.outputs[0]);
  const Subgraph last = make_subgraph(net, {2, 2}, last_readers(net), hardware);
  EXPECT_THAT(last.passing, ElementsAre(net.ops[0].outputs[0]));
  const Lowering l = lower(last, tile_space(last), hardware, {});
  EXPECT_EQ(named(l, "t").size, 2 * 12 * 8);
  EXPECT_THAT(named(l, "t").read, ElementsAre());
}

TEST(Lower, AddressesReservedTwiceAreReservedOnce) {
  Hardware hardware = machine();
  hardware.memories[0].space.reserved = {{512, 1024}, {0, 256}, {0, 256}, {128, 384}};
  const Network net = two_convolutions();
  const Subgraph part = make_subgraph(net, {0, 1});
  const Lowering lowering = lower(part, tile_space(part), hardware, {});
  EXPECT_THAT(lowering.problem.memories.at(0).reserved,
              ElementsAre(AddressRange{0, 384}, AddressRange{512, 1024}));
}

TEST(Lower, TheTileChangesOnlySizes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Network net = testing::random_network(seed, {.ops = 4});
    const Subgraph part = make_subgraph(net, {0, 3});
    for (const bool double_buffer : {false, true})
      for (const HaloPolicy halo : {HaloPolicy::recompute, HaloPolicy::keep}) {
        TileGeometry geometry(part, halo);
        const Lowering l =
            lower(part, geometry.space(), machine(), {double_buffer, WeightPolicy::refetch, halo});
        EXPECT_TRUE(validate(l.problem).empty()) << seed;
        TileShape half = geometry.space().whole;
        for (Dim& extent : half.extent) extent = (extent + 1) / 2;
        for (const std::vector<Size>& sizes :
             demands(part, geometry.space(), l, geometry.grid(half).tiles)) {
          EXPECT_EQ(sizes.size(), l.problem.buffers.size());
          EXPECT_GE(*std::ranges::min_element(sizes), 1);
        }
      }
  }
}

}  // namespace
}  // namespace tessera::tiling
