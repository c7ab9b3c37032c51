// Every tiling of a group: each tile shape in each variant of the machine, placed and simulated
// separately, without any pruning.
//
//   for_each_tiling(make_subgraph(net, ops, readers, hardware), hardware,
//                   [&](const LiteralTiling& each) { best = std::min(best, cost(each.option)); });
#pragma once

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "cost/array_memo.h"
#include "model/derived.h"
#include "placer/tile_engine.h"
#include "planner/option.h"
#include "planner/peaks.h"
#include "tessera/hardware.h"
#include "tessera/network_plan.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tiling/reduction.h"
#include "tiling/subgraph.h"

namespace tessera::testing {

struct LiteralTiling {
  const tiling::Subgraph& part;  ///< the group, or the group with its sums in parts
  const PlannedSubgraph& option;
  /// The same in the smallest memory in which it fits, which takes long.
  std::function<Size()> lowest_peak;
};

inline Size lowest(tiling::TileGeometry& geometry, const Hardware& hardware,
                   const TileVariant& options, const tiling::TileShape& shape, Size known,
                   cost::ArrayMemo& arrays) {
  const Budget budget;
  Poll poll(budget);
  for (;;) {
    planner::PeakLimits less;
    less.peak_bytes = static_cast<double>(known - 1);
    if (known <= 1) return known;
    const Hardware within = planner::machine_within(hardware, less);
    const auto engine = placer::tile_engine(within);
    search::TileSearchResult found = search::find_tile(
        geometry, within, {.options = options, .engine = engine.get(), .only = shape});
    if (found.status != Status::feasible) return known;
    known = planner::make_option(geometry, hardware, options, std::move(found), engine->name(),
                                 arrays, poll)
                .metrics.peak_bytes;
  }
}

inline void each_tiling(const tiling::Subgraph& part, const std::vector<TileVariant>& variants,
                        bool one_op, const Hardware& hardware,
                        const std::function<void(const LiteralTiling&)>& what) {
  const auto engine = placer::tile_engine(hardware);
  cost::ArrayMemo arrays(hardware);
  const Budget budget;
  Poll poll(budget);
  for (const TileVariant& options : variants) {
    tiling::TileGeometry geometry(part, options.halo);
    const tiling::TileSpace& space = geometry.space();
    tiling::TileShape shape;
    const auto least = [&](std::size_t axis) {
      return space.axis[axis] ? Dim{1} : space.whole.extent[axis];
    };
    for (shape.extent[0] = least(0); shape.extent[0] <= space.whole.extent[0]; ++shape.extent[0])
      for (shape.extent[1] = least(1); shape.extent[1] <= space.whole.extent[1]; ++shape.extent[1])
        for (shape.extent[2] = least(2); shape.extent[2] <= space.whole.extent[2];
             ++shape.extent[2]) {
          search::TileSearchResult found = search::find_tile(
              geometry, hardware, {.options = options, .engine = engine.get(), .only = shape});
          const auto& counts = found.grid.counts;
          const bool idle =
              (options.double_buffer && shape == space.whole && one_op) ||
              (options.stationary == Stationary::weights && counts[1] * counts[2] == 1) ||
              (options.stationary == Stationary::inputs &&
               (counts[0] == 1 || found.lowering.staying.empty()));
          if (found.status != Status::feasible || idle) continue;
          const PlannedSubgraph option = planner::make_option(
              geometry, hardware, options, std::move(found), engine->name(), arrays, poll);
          what({part, option, [&] {
                  return lowest(geometry, hardware, options, shape, option.metrics.peak_bytes,
                                arrays);
                }});
        }
  }
}

/// Calls the visitor with each tiling that fits. Omits equivalent ones: two copies of all buffers
/// of a single tile of one op, and stationary data that no loop passes. require: one on-chip
/// memory, for lowest_peak().
inline void for_each_tiling(const tiling::Subgraph& part, const Hardware& hardware,
                            const std::function<void(const LiteralTiling&)>& what) {
  const auto add = [](std::vector<TileVariant>& all, const std::vector<TileVariant>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  std::vector<TileVariant> variants = planner::lowering_variants(part, hardware);
  add(variants, planner::direct_variants(part, hardware));
  add(variants, planner::staying_variants(part, hardware));
  add(variants, planner::one_copy_variants(part, hardware));
  add(variants, planner::trailing_variants(part, hardware));
  each_tiling(part, variants, part.ops.first == part.ops.last, hardware, what);
  for (const std::int64_t parts :
       std::set(hardware.tiling.reduction.begin(), hardware.tiling.reduction.end())) {
    if (parts == 1) continue;
    const auto split = tiling::split_reduction(part, hardware, parts);
    if (!split) continue;
    variants = planner::lowering_variants(*split, hardware);
    add(variants, planner::staying_variants(*split, hardware));
    std::erase_if(variants, [](const TileVariant& v) { return v.halo != HaloPolicy::recompute; });
    for (TileVariant& options : variants) options.reduction = parts;
    each_tiling(*split, variants, false, hardware, what);
  }
}

/// random_machine() with several alternatives for every choice; `needed`: bytes of the network.
[[nodiscard]] inline Hardware machine_with_choices(Random& random, Size needed) {
  Hardware h = random_machine(random, {.needed = needed, .most_percent = 130});
  h.tiling.weights = {WeightPolicy::resident, WeightPolicy::refetch};
  if (random.chance(30)) h.tiling.halo = {HaloPolicy::recompute, HaloPolicy::keep_columns};
  if (random.chance(30)) h.tiling.halo = {HaloPolicy::recompute, HaloPolicy::keep};
  // Regression: on machines that always reuse halos, groups without halos had no shapes.
  if (random.chance(15)) h.tiling.halo = {HaloPolicy::keep};
  if (random.chance(50))
    h.tiling.one_copy = {
        random.pick(std::vector{OneCopy::inputs, OneCopy::outputs}),
        random.pick(std::vector{OneCopy::inputs_outputs, OneCopy::weights, OneCopy::inputs_weights,
                                OneCopy::outputs_weights})};
  h.tiling.reduction = {1};
  if (random.chance(60)) h.tiling.reduction = {random.between(2, 4), 1, 2};
  if (random.chance(30)) h.dma.weight_slices = random.between(2, 6);
  if (random.chance(25)) add_flash(random, h);
  if (random.chance(40)) randomize_stored(random, h);
  reach_off_chip(random, h);
  const auto& halos = h.tiling.halo;
  const bool recomputes = std::ranges::find(halos, HaloPolicy::recompute) != halos.end();
  if (recomputes && random.chance(40)) h.tiling.engines = EngineOrder::side_by_side;
  return h;
}

}  // namespace tessera::testing
