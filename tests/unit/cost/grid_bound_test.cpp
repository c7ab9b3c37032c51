#include "cost/grid_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "cost/compute.h"
#include "cost/computing.h"
#include "tests/support/convolutions.h"
#include "tests/support/machines.h"
#include "tiling/subgraph.h"

namespace tessera::cost {
namespace {

Hardware bounded_machine() {
  return testing::toy_machine(1 << 20);
}

struct Fixture {
  explicit Fixture(OpIndex convolutions = 3, Hardware on = bounded_machine())
      : net(testing::convolutions(static_cast<int>(convolutions),
                                  {.channels = 16, .rows = 32, .columns = 32, .pad = 1})),
        part(tiling::make_subgraph(net, {0, convolutions - 1}, readers)),
        hardware(std::move(on)) {}

  /// 16 channels over 32 x 32: 16384 bytes per tensor, 2304 of weights each.
  Network net;
  std::vector<std::optional<OpIndex>> readers = tiling::last_readers(net);
  ChannelUse use{net, readers};
  tiling::Subgraph part;
  tiling::TileGeometry geometry{part, HaloPolicy::recompute};
  Hardware hardware;
  GridBound bound{part, geometry.space(), use, hardware};
};

TEST(GridBound, CountsOverlapsAndFetches) {
  const Fixture f;
  // Input and output once, and all weights: for two convolutions each tile needs all, for the last
  // one a part.
  EXPECT_NEAR(static_cast<double>(f.bound.least(1, {.weights = WeightPolicy::resident}).dram_bytes),
              2 * 16384 + 3 * 2304, 1);
  // Cut along H or W, with the smaller overlap: 31 rows need all 32 of the input, the last one 4.
  EXPECT_NEAR(static_cast<double>(f.bound.least(2, {.weights = WeightPolicy::resident}).dram_bytes),
              16384 + 36 * 32 * 16 + 3 * 2304, 1);
  EXPECT_NEAR(static_cast<double>(f.bound.least(2, {.weights = WeightPolicy::refetch}).dram_bytes),
              16384 + 36 * 32 * 16 + (2 * 2 + 1) * 2304, 1);
  // The same along both.
  EXPECT_NEAR(static_cast<double>(f.bound.least(4, {.weights = WeightPolicy::resident}).dram_bytes),
              16384 + 36 * 36 * 16 + 3 * 2304, 1);
}

TEST(GridBound, ComputesOverlapsAgain) {
  const Fixture f;
  // 9 * 32 * 32 cycles per convolution; for tiles of 31 rows and 1 row, the first makes 32 and 3
  // rows, the second 32 and 2.
  EXPECT_NEAR(
      static_cast<double>(f.bound.least(1, {.weights = WeightPolicy::resident}).latency_cycles),
      3 * 9 * 32 * 32, 1);
  EXPECT_NEAR(
      static_cast<double>(f.bound.least(2, {.weights = WeightPolicy::resident}).latency_cycles),
      (35 + 34 + 32) * 9 * 32, 1);
}

TEST(GridBound, OpsThatTrailWorkBesideTheOthers) {
  const Fixture f;
  EXPECT_NEAR(
      static_cast<double>(f.bound.least(1, {.double_buffer = true, .trailing = 1}).latency_cycles),
      2 * 9 * 32 * 32, 1);
}

/// One convolution of 16 channels over 32 x 32; each tile needs the weights of its channels.
TEST(GridBound, CountsWhatStaysOnce) {
  const Fixture f(1);
  const auto bytes = [&](Stationary stationary) {
    return static_cast<double>(
        f.bound.of_counts({4, 2, 1}, {.weights = WeightPolicy::refetch, .stationary = stationary})
            .dram_bytes);
  };
  // Four parts of the channels, two of the rows: at least 34 rows including the overlap.
  EXPECT_NEAR(bytes(Stationary::none), 16384 + 4 * 34 * 32 * 16 + 2 * 2304, 1);
  EXPECT_NEAR(bytes(Stationary::weights), 16384 + 4 * 34 * 32 * 16 + 2304, 1);
  EXPECT_NEAR(bytes(Stationary::inputs), 16384 + 34 * 32 * 16 + 2 * 2304, 1);
}

/// Parts of rows take whole bursts.
TEST(GridBound, CountsWholeBursts) {
  Hardware hardware = bounded_machine();
  hardware.memories[1].burst = 16;
  const Fixture f(1, hardware);
  // 32 columns in two parts: 17 and 17 with the overlap take 64 in bursts, 31 and 3 take 48.
  EXPECT_NEAR(static_cast<double>(
                  f.bound.of_counts({1, 1, 2}, {.weights = WeightPolicy::resident}).dram_bytes),
              16384 + 48 * 32 * 16 + 2304, 1);
}

/// Each tile starts its transfers and its ops; a single DMA channel runs them one after the other.
TEST(GridBound, CountsWhatStarts) {
  Hardware hardware = bounded_machine();
  hardware.dma.channels = 1;
  const auto cycles = [&](const std::array<Dim, 3>& counts) {
    const Fixture f(1, hardware);
    return f.bound.of_counts(counts, {.weights = WeightPolicy::resident}).latency_cycles;
  };
  const std::int64_t one = cycles({1, 1, 1});
  const std::int64_t many = cycles({1, 32, 1});
  hardware.dma.setup += 100000;
  // One load before computing, and one store after it.
  EXPECT_NEAR(static_cast<double>(cycles({1, 1, 1}) - one), 3 * 100000, 0.1 * 300000);
  // 32 loads and stores, and the weights.
  EXPECT_NEAR(static_cast<double>(cycles({1, 32, 1}) - many), 65 * 100000, 0.1 * 6500000);
}

/// With double buffering, only the transfers of the first tile do not overlap with computing.
TEST(GridBound, GuessesByWhatATileComputes) {
  const Fixture f(1);
  const std::array<Dim, 3> counts{1, 4, 1};
  const auto latency = [&](bool two, double computing) {
    const TileVariant variant{.double_buffer = two, .weights = WeightPolicy::resident};
    return static_cast<double>(
        f.bound.estimate(counts, variant, {.leading = computing}).latency_cycles);
  };
  const double moved = latency(false, 1e6) - 1e6;
  EXPECT_GT(moved, 0);
  EXPECT_NEAR(latency(true, 1e6), 1e6 + moved / 4, 3);
  EXPECT_NEAR(latency(true, 2e6), 2e6 + moved / 4, 3);
  // At least the lower bound.
  for (const bool two : {false, true})
    EXPECT_GE(
        latency(two, 0),
        static_cast<double>(
            f.bound.of_counts(counts, {.double_buffer = two, .weights = WeightPolicy::resident})
                .latency_cycles));
}

/// Five rows take as long as eight, the number an array computes at once.
TEST(Computing, IsInWholeSteps) {
  Fixture f(2);
  f.hardware.engines[0].unroll = {{"H", 8}};
  const auto of_rows = [&](Dim rows, Step trailing) {
    return computing(f.part, f.geometry.middle_tile({{16, rows, 32}}, false), trailing, f.hardware,
                     nullptr);
  };
  EXPECT_EQ(of_rows(5, 1).trailing, of_rows(8, 1).trailing);
  EXPECT_EQ(of_rows(16, 1).trailing, 2 * of_rows(8, 1).trailing);
  // The first convolution makes two more rows, one on each side.
  EXPECT_EQ(of_rows(8, 1).leading, 2 * of_rows(8, 1).trailing);
  EXPECT_EQ(of_rows(8, 0).leading, 3 * of_rows(8, 1).trailing);
  EXPECT_EQ(of_rows(8, 0).trailing, 0);
}

TEST(GridBound, GrowsWithTheNumberOfTiles) {
  const Fixture f;
  Metrics before;
  for (std::int64_t tiles = 1; tiles <= f.bound.most_tiles(); tiles = tiles * 3 / 2 + 1) {
    const Metrics least = f.bound.least(tiles, {.weights = WeightPolicy::refetch});
    EXPECT_GE(least.latency_cycles, before.latency_cycles);
    EXPECT_GE(least.dram_bytes, before.dram_bytes);
    EXPECT_GE(least.energy_pj, before.energy_pj);
    before = least;
  }
  EXPECT_GT(before.latency_cycles, 3 * 9 * 32 * 32 * 5);
  EXPECT_EQ(f.bound.most_tiles(), 32 * 32 * 16);
}

/// The only window lies in the padding: it needs no input, but the weights are fetched (found by
/// random tests).
TEST(GridBound, WindowsInThePaddingNeedNothing) {
  Network net = testing::convolutions(1, {.channels = 4, .rows = 1, .columns = 8, .pad = 1});
  Op& conv = net.ops[0];
  const std::vector<Dim> shape{4, 4, 1, 3};
  net.tensors[conv.inputs[1]].shape = shape;
  conv.kernel = {1, 3};
  conv.stride = {3, 1};
  const auto readers = tiling::last_readers(net);
  const tiling::Subgraph part = tiling::make_subgraph(net, {0, 0}, readers);
  const tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  const GridBound bound(part, geometry.space(), ChannelUse(net, readers), bounded_machine());
  EXPECT_NEAR(static_cast<double>(bound.least(1, {.weights = WeightPolicy::resident}).dram_bytes),
              32 + 48, 1);
}

/// The first op reads two rows of three, the second three rows of these. With halo reuse a tile
/// makes one more of them, for which it loads two rows, and never the one between (found by random
/// tests).
TEST(GridBound, NobodyLoadsWhatLiesBetweenWindowsForAHaloThatIsKept) {
  for (const Dim made : {3, 1500}) {
    Network net = testing::convolutions(2, {.channels = 1, .rows = 3 * made - 1, .columns = 1});
    Op& gaps = net.ops[0];
    net.tensors[gaps.inputs[1]].shape = {1, 1, 2, 1};
    gaps.kernel = {2, 1};
    gaps.stride = {3, 1};
    gaps.pad_begin = gaps.pad_end = {0, 0};
    net.tensors[gaps.outputs[0]].shape = {1, 1, made, 1};
    Op& next = net.ops[1];
    net.tensors[next.inputs[1]].shape = {1, 1, 3, 1};
    next.kernel = {3, 1};
    next.pad_begin = next.pad_end = {1, 0};
    net.tensors[next.outputs[0]].shape = {1, 1, made, 1};
    const auto readers = tiling::last_readers(net);
    const tiling::Subgraph part = tiling::make_subgraph(net, {0, 1}, readers);
    const tiling::TileGeometry geometry(part, HaloPolicy::recompute);
    const GridBound bound(part, geometry.space(), ChannelUse(net, readers), bounded_machine());
    const TileVariant keep{.weights = WeightPolicy::resident, .halo = HaloPolicy::keep};
    EXPECT_NEAR(static_cast<double>(bound.of_counts({1, made, 1}, keep).dram_bytes),
                static_cast<double>(2 * made + made + 5), 1);
  }
}

/// Ops before a transposed convolution count, although its weights have no bound.
TEST(GridBound, SeesThroughTransposedConvolutions) {
  Network net = testing::convolutions(2, {.channels = 16, .rows = 32, .columns = 32, .pad = 1});
  Op& up = net.ops[1];
  up.kind = OpKind::conv_transpose;
  net.tensors[up.inputs[1]].shape = {16, 16, 2, 2};
  up.kernel = {2, 2};
  up.stride = {2, 2};
  up.pad_begin = up.pad_end = {0, 0};
  net.tensors[up.outputs[0]].shape = {1, 16, 64, 64};
  const auto readers = tiling::last_readers(net);
  const tiling::Subgraph part = tiling::make_subgraph(net, {0, 1}, readers);
  const tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  const GridBound bound(part, geometry.space(), ChannelUse(net, readers), bounded_machine());
  const auto bytes = [&](Dim rows) {
    return static_cast<double>(
        bound.of_counts({1, rows, 1}, {.weights = WeightPolicy::resident}).dram_bytes);
  };
  EXPECT_NEAR(bytes(1), 32 * 32 * 16 + 64 * 64 * 16, 1);
  // Half of the rows each, and one more for the previous convolution.
  EXPECT_NEAR(bytes(2) - bytes(1), 2 * 32 * 16, 1);
}

/// Minimum bytes of a column of `rows` rows for three convolutions in this many tiles: each
/// convolution adds a row on both sides.
Dim least_needed(Dim rows, Dim tiles) {
  Dim least = std::numeric_limits<Dim>::max();
  for (Dim extent = 1; extent <= rows && (rows + extent - 1) / extent >= tiles; ++extent) {
    Dim sum = 0;
    for (Dim first = 0; first < rows; first += extent)
      sum += std::min(rows, first + extent + 3) - std::max<Dim>(0, first - 3);
    least = std::min(least, sum);
  }
  return least;
}

/// Long axes have no table: the bound is slightly below the exact value, and never above it.
TEST(GridBound, LongAxesAreNoMoreThanTheTruth) {
  constexpr Dim rows = 5003;
  const Network net = testing::convolutions(3, {.channels = 1, .rows = rows, .columns = 1});
  const auto readers = tiling::last_readers(net);
  const tiling::Subgraph part = tiling::make_subgraph(net, {0, 2}, readers);
  const tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  const GridBound bound(part, geometry.space(), ChannelUse(net, readers), bounded_machine());
  EXPECT_EQ(bound.most_tiles(), rows);
  for (Dim tiles = 1; tiles <= rows; tiles += 1 + tiles / 7) {
    const auto weights = static_cast<double>(3 * 9);
    const double truth = static_cast<double>(least_needed(rows, tiles) + rows) + weights;
    const Metrics least = bound.least(tiles, {.weights = WeightPolicy::resident});
    EXPECT_LE(static_cast<double>(least.dram_bytes), truth) << tiles;
    EXPECT_GE(static_cast<double>(least.dram_bytes), 0.96 * truth) << tiles;
  }
}

/// Strides that skip rows, followed by an op that reads the whole axis.
TEST(GridBound, LongAxesMayLeaveRowsOut) {
  Network net = testing::convolutions(1, {.channels = 1, .rows = 3 * 5000, .columns = 1, .pad = 0});
  Op& conv = net.ops[0];
  net.tensors[conv.inputs[1]].shape = {1, 1, 1, 1};
  conv.kernel = {1, 1};
  conv.stride = {3, 1};
  net.tensors[conv.outputs[0]].shape = {1, 1, 5000, 1};
  const auto readers = tiling::last_readers(net);
  const tiling::Subgraph part = tiling::make_subgraph(net, {0, 0}, readers);
  const tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  const GridBound bound(part, geometry.space(), ChannelUse(net, readers), bounded_machine());
  // Tiles of one row need one row each of the input.
  const Metrics least = bound.least(1, {.weights = WeightPolicy::resident});
  EXPECT_LE(least.dram_bytes, 5000 + 5000 + 1);
  EXPECT_GE(least.dram_bytes, 5000 + 5000 - 5);
}

/// The cost is independent of the axis length: a table would take gigabytes.
TEST(GridBound, TheLongestAxesCostNothing) {
  constexpr Dim rows = Dim{1} << 40;
  const Network net = testing::convolutions(3, {.channels = 1, .rows = rows, .columns = 1});
  const auto readers = tiling::last_readers(net);
  const tiling::Subgraph part = tiling::make_subgraph(net, {0, 2}, readers);
  const tiling::TileGeometry geometry(part, HaloPolicy::recompute);
  const GridBound bound(part, geometry.space(), ChannelUse(net, readers), bounded_machine());
  EXPECT_EQ(bound.most_tiles(), rows);
  EXPECT_GT(static_cast<double>(bound.least(rows, {.weights = WeightPolicy::resident}).dram_bytes),
            7.8 * static_cast<double>(rows));
}

TEST(LeastCompute, IsNoMoreThanTheWhole) {
  const Fixture f;
  const LeastCompute least = least_compute(f.net, f.net.ops[0], f.hardware);
  EXPECT_DOUBLE_EQ(least.cycles, 9 * 32 * 32);
  Hardware odd = bounded_machine();
  odd.engines[0].unroll = {{"C", 24}, {"K", 24}, {"W", 5}};
  // Columns and output channels may be cut anywhere, reduced channels may not.
  EXPECT_NEAR(least_compute(f.net, f.net.ops[0], odd).cycles, 9 * 32 * 32 / 5.0 * 16 / 24, 1e-6);
}

}  // namespace
}  // namespace tessera::cost
