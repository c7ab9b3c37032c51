// Tile order and stationary data, against a walk through all tiles one by one: a tile finds in
// memory what the previous tile left there, and loads the rest. In addition, no group costs less
// than the bound from its tile counts.
//
//   random_tile_order_test                                     2,000 groups
//   TESSERA_SEED=17 TESSERA_CASES=1 random_tile_order_test     repeats one of them
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "cost/grid_bound.h"
#include "cost/tiled_group.h"
#include "model/off_chip.h"
#include "planner/option.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"
#include "tiling/walk.h"

namespace tessera {
namespace {

using testing::Random;
using testing::setting;
using Position = std::array<Dim, tiling::tile_axes>;

/// As the documentation of tiling defines it.
std::vector<Position> positions(const tiling::TileGrid& grid, Stationary stationary) {
  std::vector<Position> list;
  const auto [c, h, w] = grid.counts;
  if (stationary == Stationary::inputs) {
    for (Dim j = 0; j < h; ++j)
      for (Dim k = 0; k < w; ++k)
        for (Dim i = 0; i < c; ++i) list.push_back({i, j, k});
    return list;
  }
  for (Dim i = 0; i < c; ++i)
    for (Dim j = 0; j < h; ++j)
      for (Dim k = 0; k < w; ++k) list.push_back({i, j, k});
  return list;
}

/// Off-chip: encoded weights, and whole bricks of channels.
Size bytes_of(const tiling::Subgraph& part, std::size_t t, const tiling::Box& box, Dim brick) {
  if (part.tensors[t].weight || part.tensors[t].outside || !has_layout(part.tensor(t)) || box.none)
    return part.tensors[t].bytes.of(tiling::volume(box));
  const Dim bricks = (box[1].size() + brick - 1) / brick;
  return tiling::volume(box) / box[1].size() * bricks * brick * element_bytes(part.tensor(t).type);
}

PlannedPlacement anywhere(const PlacementProblem& problem) {
  PlannedPlacement result{.problem = problem, .placement = {}, .engine = {}};
  result.placement.places.resize(problem.buffers.size());
  result.placement.modes.resize(problem.memories.size());
  return result;
}

struct Counted {
  Size least = 0;  ///< data that each tile lacks, plus its stores
  Size moved = 0;  ///< loads according to the walk, plus all stores
};

/// Tile by tile, in absolute coordinates.
Counted by_walking(const tiling::Subgraph& part, const tiling::TileGeometry& geometry,
                   const tiling::TileGrid& grid, const tiling::Lowering& lowering, Dim brick) {
  const TileVariant& options = lowering.options;
  const tiling::TileWalk walk(grid, lowering);
  std::map<std::size_t, tiling::Box> held;
  Counted sum;
  for (const Position& at : positions(grid, options.stationary)) {
    const tiling::TileRegions tile = geometry.tile_at(grid.shape, at);
    for (std::size_t t = 0; t < part.tensors.size(); ++t) {
      const tiling::LocalTensor& local = part.tensors[t];
      if (tiling::is_stored(local)) {
        const Size stored = bytes_of(part, t, tile.stored[t], brick);
        sum.least += stored;
        sum.moved += stored;
      }
      if (!tiling::is_loaded(local) || local.consumers.empty()) continue;
      if (local.weight && options.weights == WeightPolicy::resident) {
        if (held.contains(t)) continue;
        held[t] = tiling::whole(part.tensor(t).shape);
        sum.least += bytes_of(part, t, held[t], brick);
        sum.moved += bytes_of(part, t, held[t], brick);
        continue;
      }
      const bool stays = local.weight ? options.stationary == Stationary::weights
                                      : options.stationary == Stationary::inputs &&
                                            geometry.space().moving[0][t].none();
      const bool lacks = !stays || !held.contains(t) || held[t] != tile.fresh[t];
      const bool loads = walk.loads(t, walk.level_at(at));
      EXPECT_TRUE(loads || !lacks) << part.tensor(t).name;
      if (lacks) sum.least += bytes_of(part, t, tile.fresh[t], brick);
      if (loads) sum.moved += bytes_of(part, t, tile.fresh[t], brick);
      held[t] = tile.fresh[t];
    }
  }
  return sum;
}

/// The pipeline's tiles in execution order.
std::vector<std::size_t> in_sequence(const cost::Pipeline& pipeline) {
  std::vector<std::size_t> list;
  const auto append = [&](const std::vector<cost::TileRun>& runs) {
    for (const cost::TileRun& run : runs)
      list.insert(list.end(), static_cast<std::size_t>(run.count), run.tile_class);
  };
  append(pipeline.before);
  for (std::int64_t k = 0; k < pipeline.repeat; ++k) append(pipeline.sequence);
  append(pipeline.after);
  return list;
}

/// Weights in a separate memory equal to the other one: same result for one channel.
void same_in_two_memories(cost::TiledGroup run) {
  Hardware one = *run.hardware;
  one.dma.channels = 1;
  Hardware two = one;
  two.memories.push_back(two.memories.back());
  two.memories.back().writable = false;
  run.hardware = &one;
  const Metrics together = cost::group_cost(run).metrics;
  run.hardware = &two;
  const Metrics metrics = cost::group_cost(run).metrics;
  EXPECT_EQ(metrics.latency_cycles, together.latency_cycles);
  EXPECT_EQ(metrics.dram_bytes, together.dram_bytes);
  EXPECT_DOUBLE_EQ(metrics.energy_pj, together.energy_pj);
}

TEST(TileOrder, LoadsWhatTheTileBeforeDidNotLeave) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(2000));
  std::map<Stationary, int> compared;
  int spared = 0, tight = 0, all = 0, bounded = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("repeat with TESSERA_SEED=" + std::to_string(seed) + " TESSERA_CASES=1");
    Random random(seed ^ 0x0cde5);
    const Network network =
        testing::random_network(seed, {.ops = static_cast<std::size_t>(random.between(1, 4)),
                                       .extent = 9,
                                       .channels = 6,
                                       .views = random.chance(50),
                                       .spatial_only = random.chance(60)});
    Hardware hardware = testing::random_machine(random, {.needed = 1 << 20});
    for (HardwareMemory& memory : hardware.memories) memory.burst = 1;
    hardware.tiling.weights = {WeightPolicy::resident, WeightPolicy::refetch};
    if (random.chance(40)) testing::randomize_stored(random, hardware);
    const Dim brick = off_chip::activations(hardware)->layout.brick;
    const tiling::Subgraph part = tiling::make_subgraph(network, {0, network.ops.size() - 1},
                                                        tiling::last_readers(network), hardware);
    tiling::TileGeometry geometry(part, HaloPolicy::recompute);
    tiling::TileShape shape = geometry.space().whole;
    for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
      if (geometry.space().axis[axis] && random.chance(70))
        shape.extent[axis] = random.between(1, shape.extent[axis]);
    const tiling::TileGrid grid = geometry.grid(shape);
    // Weights of several ops may be stationary as well; this is not tested here.
    TileVariant options{.double_buffer = random.chance(50), .weights = WeightPolicy::refetch};
    options.stationary = random.pick(
        std::vector<Stationary>{Stationary::none, Stationary::weights, Stationary::inputs});
    if (options.stationary != Stationary::weights && random.chance(40))
      options.weights = WeightPolicy::resident;
    const tiling::Lowering lowering = tiling::lower(part, geometry.space(), hardware, options);
    const PlannedPlacement placed = anywhere(lowering.problem);
    const cost::TiledGroup run{.subgraph = &part,
                               .grid = &grid,
                               .lowering = &lowering,
                               .hardware = &hardware,
                               .placements = {&placed}};
    const cost::GroupCost cost = cost::group_cost(run);
    same_in_two_memories(run);
    const Counted walked = by_walking(part, geometry, grid, lowering, brick);
    EXPECT_EQ(cost.metrics.dram_bytes, walked.moved);
    EXPECT_GE(walked.moved, walked.least);

    if (geometry.has_volumes()) {
      const auto readers = tiling::last_readers(network);
      const cost::GridBound bound(part, geometry.space(), cost::ChannelUse(network, readers),
                                  hardware);
      for (const Metrics& least :
           {bound.of_counts(grid.counts, options), bound.least(grid.count(), options)}) {
        EXPECT_LE(least.latency_cycles, cost.metrics.latency_cycles);
        EXPECT_LE(least.dram_bytes, cost.metrics.dram_bytes);
        EXPECT_LE(least.energy_pj, cost.metrics.energy_pj * (1 + 1e-9));
      }
      ++bounded;
    }

    const tiling::TileWalk walk(grid, lowering);
    std::vector<std::size_t> right;
    std::vector<std::int64_t> times(walk.visits().size(), 0);
    for (const Position& at : positions(grid, options.stationary)) {
      right.push_back(walk.at(at));
      ASSERT_LT(right.back(), times.size());
      ++times[right.back()];
    }
    for (std::size_t v = 0; v < times.size(); ++v) EXPECT_EQ(walk.visits()[v].times, times[v]);
    const cost::Pipeline pipeline = cost::group_schedule(run).pipeline;
    EXPECT_EQ(in_sequence(pipeline), right);
    EXPECT_EQ(cost::simulate(pipeline, {}).cycles,
              cost::simulate(pipeline, {.extrapolate = false}).cycles);

    // The same tiles, each independently.
    if (options.stationary == Stationary::none) continue;
    ++all;
    ++compared[options.stationary];
    tight += walked.moved == walked.least ? 1 : 0;
    options.stationary = Stationary::none;
    const tiling::Lowering apart = tiling::lower(part, geometry.space(), hardware, options);
    const Counted each = by_walking(part, geometry, grid, apart, brick);
    EXPECT_LE(walked.moved, each.moved);
    spared += walked.moved < each.moved ? 1 : 0;
  }
  std::printf(
      "%d runs where something stays, %d that load less, %d that load as little as can be\n", all,
      spared, tight);
  if (cases < 1000) return;
  EXPECT_GT(compared[Stationary::weights], 100);
  EXPECT_GT(compared[Stationary::inputs], 100);
  EXPECT_GT(bounded, static_cast<int>(cases / 2));
  EXPECT_GT(spared, all / 5);
  EXPECT_GT(tight, all * 9 / 10);
}

}  // namespace
}  // namespace tessera
