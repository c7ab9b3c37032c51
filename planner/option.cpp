#include "planner/option.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "cost/tiled_group.h"
#include "facts/modes.h"
#include "planner/piece.h"
#include "tessera/check.h"
#include "tessera/errors.h"
#include "tessera/tile.h"
#include "tiling/ceil_div.h"
#include "tiling/trailing.h"

namespace tessera::planner {

namespace {

bool may_recompute(const TilingOptions& tiling) {
  return std::ranges::find(tiling.halo, HaloPolicy::recompute) != tiling.halo.end();
}

}  // namespace

TilingOptions lowering_options(TilingOptions tiling) {
  if (may_recompute(tiling)) tiling.halo = {HaloPolicy::recompute};
  return tiling;
}

std::vector<TileVariant> lowering_variants(const tiling::Subgraph& part, const Hardware& hardware) {
  std::vector<TileVariant> all = tile_variants(lowering_options(hardware.tiling));
  const Direct direct = tiling::direct_choices(part, hardware).front();
  for (TileVariant& options : all)
    if (options.halo == HaloPolicy::recompute) options.direct = direct;
  std::ranges::stable_sort(all, {}, [](const TileVariant& options) {
    return std::pair(options.double_buffer,
                     options.double_buffer != (options.weights == WeightPolicy::resident));
  });
  return all;
}

std::vector<TileVariant> direct_variants(const tiling::Subgraph& part, const Hardware& hardware) {
  std::vector<TileVariant> all;
  for (const Direct direct : tiling::direct_choices(part, hardware))
    for (TileVariant options : lowering_variants(part, hardware)) {
      if (options.direct == direct || options.halo != HaloPolicy::recompute) continue;
      options.direct = direct;
      all.push_back(options);
    }
  return all;
}

std::vector<TileVariant> one_copy_variants(const tiling::Subgraph& part, const Hardware& hardware) {
  const TilingOptions& tiling = hardware.tiling;
  std::vector<TileVariant> all;
  if (!may_recompute(tiling)) return all;
  const auto steps = static_cast<Step>(part.steps());
  const auto has_two = [&](OneCopy what, WeightPolicy weights) {
    return std::ranges::any_of(part.tensors, [&](const tiling::LocalTensor& local) {
      if (what == OneCopy::outputs) return tiling::is_stored(local);
      if (!tiling::is_loaded(local) || local.consumers.empty()) return false;
      if (what == OneCopy::inputs) return !local.weight;
      // If a step is free, they have one copy anyway (tiling/lower.cpp).
      return local.weight && weights == WeightPolicy::refetch &&
             local.consumers.back() - local.consumers.front() + 2 > steps;
    });
  };
  for (const OneCopy one_copy : tiling.one_copy)
    for (TileVariant options : lowering_variants(part, hardware)) {
      if (one_copy == OneCopy::none || !options.double_buffer || options.direct != Direct::none)
        continue;
      const bool some = std::ranges::all_of(
          std::array{OneCopy::inputs, OneCopy::outputs, OneCopy::weights},
          [&](OneCopy what) { return !has(one_copy, what) || has_two(what, options.weights); });
      if (!some) continue;
      options.one_copy = one_copy;
      all.push_back(options);
    }
  return all;
}

std::vector<TileVariant> trailing_variants(const tiling::Subgraph& part, const Hardware& hardware) {
  std::vector<TileVariant> all;
  for (const std::int64_t trailing : tiling::trailing_choices(part, hardware))
    for (TileVariant options : lowering_variants(part, hardware)) {
      if (!options.double_buffer || options.halo != HaloPolicy::recompute) continue;
      options.trailing = trailing;
      all.push_back(options);
    }
  return all;
}

std::vector<TileVariant> staying_variants(const tiling::Subgraph& part, const Hardware& hardware) {
  const TilingOptions& tiling = hardware.tiling;
  std::set<Step> weighted;
  bool inputs = false;
  for (const tiling::LocalTensor& local : part.tensors) {
    if (!tiling::is_loaded(local)) continue;
    if (local.weight)
      weighted.insert(local.consumers.begin(), local.consumers.end());
    else
      inputs = true;
  }
  std::vector<TileVariant> all;
  for (const Stationary stationary : tiling.stationary)
    for (TileVariant options : lowering_variants(part, hardware)) {
      // With all weights resident, channels need not be tiled for them.
      if (options.halo != HaloPolicy::recompute || options.weights == WeightPolicy::resident ||
          options.direct != Direct::none)
        continue;
      const bool some = stationary == Stationary::weights
                            ? weighted.size() == 1
                            : stationary == Stationary::inputs && inputs;
      if (!some) continue;
      options.stationary = stationary;
      all.push_back(options);
    }
  if (!may_recompute(tiling)) return all;
  for (const HaloPolicy halo : tiling.halo)
    for (TileVariant options : lowering_variants(part, hardware)) {
      if (halo == HaloPolicy::recompute || options.direct != Direct::none) break;
      options.halo = halo;
      all.push_back(options);
    }
  return all;
}

std::vector<TileVariant> variants_of(const tiling::Subgraph& part, const Hardware& hardware) {
  std::vector<TileVariant> all = lowering_variants(part, hardware);
  std::ranges::move(staying_variants(part, hardware), std::back_inserter(all));
  return all;
}

std::vector<TileVariant> in_parts(std::vector<TileVariant> variants, std::int64_t parts) {
  std::erase_if(variants,
                [](const TileVariant& each) { return each.halo != HaloPolicy::recompute; });
  for (TileVariant& each : variants) each.reduction = parts;
  return variants;
}

bool easier(const TileVariant& easy, const TileVariant& hard) {
  if (easy.reduction != hard.reduction || easy.direct != hard.direct) return false;
  if (easy.halo != hard.halo || easy.double_buffer || easy.stationary != Stationary::none)
    return false;
  if (easy.weights == hard.weights)
    return hard.double_buffer || hard.stationary != Stationary::none;
  return easy.weights == WeightPolicy::refetch && !hard.double_buffer;
}

PlannedSubgraph bare_option(const tiling::TileSpace& space, const TileVariant& options,
                            const tiling::TileShape& shape) {
  PlannedSubgraph s;
  s.extent = shape.extent;
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
    s.counts[axis] = tiling::ceil_div(space.whole.extent[axis], shape.extent[axis]);
  s.variant = options;
  return s;
}

PlannedSubgraph make_option(const tiling::TileGeometry& geometry, const Hardware& hardware,
                            const TileVariant& options, search::TileSearchResult found,
                            std::string_view engine, cost::ArrayMemo& arrays, Poll& poll,
                            const KnownCost* known) {
  PlannedSubgraph s = bare_option(geometry.space(), options, found.shape);
  const Step steps = found.lowering.steps_per_tile;
  const Piece piece = make_piece(geometry.subgraph(), geometry.space(), std::move(found.grid),
                                 std::move(found.lowering));
  for (std::size_t k = 0; k < found.placements.size(); ++k) {
    PlannedPlacement p{.problem = piece_problem(piece, k),
                       .placement = std::move(found.placements[k]),
                       .engine = std::string(engine)};
    auto modes = facts::resolve_modes(p.problem, p.placement.places, steps);
    if (!modes)
      throw InternalError("engine " + p.engine +
                          " placed buffers that leave a step without a mode");
    p.placement.modes = std::move(*modes);
    s.placements.push_back(std::move(p));
  }
  if (known != nullptr) {
    s.metrics = known->metrics;
    s.utilisation = known->utilisation;
    for (const PlannedPlacement& placed : s.placements) {
      Size peak = 0;
      for (const Size height : heights(placed.problem, placed.placement)) peak += height;
      s.metrics.peak_bytes = std::max(s.metrics.peak_bytes, peak);
    }
    return s;
  }
  cost::TiledGroup run = piece_run(piece, hardware, s.placements);
  run.poll = &poll;
  run.memo = &arrays;
  const cost::GroupCost cost = cost::group_cost(run);
  s.metrics = cost.metrics;
  s.utilisation = cost.utilisation;
  s.mode_switches = cost.mode_switches;
  return s;
}

}  // namespace tessera::planner
