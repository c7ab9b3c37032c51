#include "tiling/geometry.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tiling/axis_rules.h"
#include "tiling/propagate.h"
#include "tiling/volumes.h"

namespace tessera::tiling {
namespace {

/// A tile with given stored parts that keeps no halo.
struct GivenRules {
  const std::vector<Box>& stored;
  void store(std::size_t t, Box& needed) const { needed = hull(needed, stored[t]); }
  static Box fresh(std::size_t, const Box& needed) { return needed; }
  static bool read(const LocalOperand&, const Box&) { return true; }
};

/// The tile at the origin; it stores what its own readers need.
struct OriginRules {
  const Subgraph& subgraph;
  const TileSpace& space;
  const TileShape& shape;
  TileRegions& regions;

  void store(std::size_t t, Box& needed) const {
    const LocalTensor& local = subgraph.tensors[t];
    if (!local.leaves) return;
    Box piece = whole(subgraph.tensor(t).shape);
    for (std::size_t a = 0; a < tile_axes; ++a) {
      const Dim total = space.whole.extent[a];
      const std::optional<std::size_t> along = space.follows[a][t];
      if (shape.extent[a] == total || !along) continue;
      Dim& to = piece[*along].end;
      if (t == space.anchor)
        to = shape.extent[a];
      else if (local.consumers.empty())
        to = to * shape.extent[a] / total;
      else
        to = needed.none ? 0 : needed[*along].end;
    }
    regions.stored[t] = tidy(piece);
    needed = hull(needed, regions.stored[t]);
  }
  static Box fresh(std::size_t, const Box& needed) { return needed; }
  static bool read(const LocalOperand&, const Box&) { return true; }
};

/// Does every op map each axis of its output to one axis of each operand, independently of the
/// other axes? Then the whole group does, and a box is the product of the ranges of its axes, as
/// long as none of them is empty.
bool separable(const Subgraph& subgraph) {
  const auto rank = [&](TensorIndex t) { return subgraph.network->tensors[t].shape.size(); };
  for (std::size_t step = 0; step < subgraph.steps(); ++step) {
    switch (subgraph.op(static_cast<Step>(step)).kind) {
      case OpKind::conv:
      case OpKind::conv_transpose:
      case OpKind::max_pool:
      case OpKind::average_pool:
      case OpKind::elementwise:
      case OpKind::batch_norm:
      case OpKind::concat:
      case OpKind::slice:
      case OpKind::pad:
      case OpKind::resize:
      case OpKind::softmax:
      case OpKind::normalize:
        break;
      case OpKind::reduce:
        // Without the reduced axes, the other axes change their positions.
        if (rank(subgraph.op(static_cast<Step>(step)).inputs[0]) !=
            rank(subgraph.op(static_cast<Step>(step)).outputs[0]))
          return false;
        break;
      default:
        return false;
    }
    for (const LocalOperand& operand : subgraph.operands_at[step])
      if (subgraph.network->tensors[operand.seen_as].view_of) return false;
  }
  return true;
}

}  // namespace

struct TileGeometry::Trace {
  std::vector<std::uint32_t> classes;  ///< per position
  std::vector<TileRegions> tiles;      ///< per class, the tile at its first position
  std::vector<bool> complete;          ///< per class: AxisRules::complete
};

TileGeometry::TileGeometry(const Subgraph& subgraph, HaloPolicy halo)
    : TileGeometry(subgraph, halo, std::make_shared<const TileSpace>(tile_space(subgraph))) {}

TileGeometry::TileGeometry(const Subgraph& subgraph, HaloPolicy halo,
                           std::shared_ptr<const TileSpace> space)
    : subgraph_(subgraph),
      halo_(halo),
      kept_space_(std::move(space)),
      space_(*kept_space_),
      separable_(
          separable(subgraph) &&
          std::ranges::none_of(space_.entangled, [](const AxisSet& axes) { return axes.any(); })) {
  if (separable_ && !keeps_halo())
    volumes_ = std::make_unique<TileVolumes>(subgraph_, space_, first_tile(space_.whole));
  held_ += sizeof(TileGeometry) +
           tile_axes * subgraph_.tensors.size() * sizeof(std::optional<std::size_t>);
}

TileGeometry::~TileGeometry() = default;

Poll* TileGeometry::watch(Poll* poll) {
  if (volumes_) volumes_->watch(poll);
  return std::exchange(poll_, poll);
}

std::size_t TileGeometry::held() const {
  return held_ + (volumes_ ? volumes_->held() : 0);
}

bool TileGeometry::keeps(std::size_t axis) const {
  return (axis == static_cast<std::size_t>(TileAxis::width) && halo_ != HaloPolicy::recompute) ||
         (axis == static_cast<std::size_t>(TileAxis::height) && halo_ == HaloPolicy::keep);
}

bool TileGeometry::keeps_halo() const {
  return halo_ != HaloPolicy::recompute &&
         std::ranges::find(space_.has_halo, true) != space_.has_halo.end();
}

void TileGeometry::add_class(Trace& trace, const TileRegions& regions, bool complete) {
  trace.tiles.push_back(regions);
  trace.tiles.back().times = 0;
  trace.complete.push_back(complete);
  held_ += sizeof(TileRegions) +
           sizeof(Box) * (regions.needed.size() + regions.fresh.size() + regions.stored.size());
}

const TileGeometry::Trace& TileGeometry::trace(std::size_t axis, Dim extent) {
  std::unique_ptr<Trace>& slot = traces_[axis][extent];
  if (slot) return *slot;
  auto trace = std::make_unique<Trace>();
  AxisRules rules(subgraph_, space_, axis, extent, keeps(axis));
  std::map<std::vector<Dim>, std::uint32_t> known;
  std::vector<Dim> key;
  const Dim count = pieces(space_.whole.extent[axis], extent);
  if (poll_ != nullptr) poll_->check_memory(sizeof(std::uint32_t) * static_cast<double>(count));
  trace->classes.reserve(static_cast<std::size_t>(count));
  for (Dim position = 0; position < count; ++position) {
    work();
    rules.run(position);
    rules.key(key);
    const auto [at, added] =
        known.try_emplace(key, static_cast<std::uint32_t>(trace->tiles.size()));
    if (added) add_class(*trace, rules.regions, rules.complete());
    trace->classes.push_back(at->second);
    ++trace->tiles[at->second].times;
  }
  slot = std::move(trace);  // only after it is complete
  return *slot;
}

TileGeometry::Traces TileGeometry::traces_of(const TileShape& shape) {
  return {&trace(0, shape.extent[0]), &trace(1, shape.extent[1]), &trace(2, shape.extent[2])};
}

const TileGeometry::Trace& TileGeometry::first_of_trace(std::size_t axis, Dim extent) {
  std::unique_ptr<Trace>& slot = firsts_[axis][extent];
  if (slot) return *slot;
  auto trace = std::make_unique<Trace>();
  AxisRules rules(subgraph_, space_, axis, extent, keeps(axis));
  rules.run(0);
  add_class(*trace, rules.regions, rules.complete());
  slot = std::move(trace);  // only after it is complete
  return *slot;
}

void TileGeometry::combine(const std::array<const TileRegions*, tile_axes>& axes, bool product,
                           TileRegions& tile) const {
  tile.times = axes[0]->times * axes[1]->times * axes[2]->times;
  // Each axis contributes its own ranges.
  const auto common = [&](std::vector<Box> TileRegions::*part) {
    std::vector<Box>& boxes = tile.*part;
    boxes = axes[0]->*part;
    for (std::size_t t = 0; t < boxes.size(); ++t)
      for (std::size_t a = 1; a < tile_axes; ++a)
        boxes[t] = intersect(boxes[t], (axes[a]->*part)[t]);
  };
  common(&TileRegions::stored);
  tile.kept.clear();
  if (!keeps_halo() && !product) {
    propagate(subgraph_, GivenRules{tile.stored}, tile);
    return;
  }
  // Halos are only kept if the axes are independent.
  common(&TileRegions::needed);
  common(&TileRegions::fresh);
  if (keeps_halo())
    for (std::size_t t = 0; t < tile.needed.size(); ++t) tile.kept.push_back(kept(axes, t));
}

std::array<Dim, 2> TileGeometry::kept(const std::array<const TileRegions*, tile_axes>& axes,
                                      std::size_t t) const {
  std::array<Dim, 2> there{};
  for (const TileAxis axis : {TileAxis::height, TileAxis::width}) {
    const auto a = static_cast<std::size_t>(axis);
    const Box& needed = axes[a]->needed[t];
    const Box& fresh = axes[a]->fresh[t];
    const std::optional<std::size_t> along = space_.follows[a][t];
    if (!along || needed.none) continue;
    const Dim from = fresh.none ? needed[*along].end : fresh[*along].begin;
    there[axis == TileAxis::height ? 0 : 1] = from - needed[*along].begin;
  }
  return there;
}

TileGrid TileGeometry::grid(const TileShape& shape) {
  return *grid_if(shape, [](const TileRegions&) { return true; });
}

std::optional<TileGrid> TileGeometry::grid_if(
    const TileShape& shape, const std::function<bool(const TileRegions&)>& keeps) {
  TileGrid grid;
  grid.shape = shape;
  const Traces traces = traces_of(shape);
  for (std::size_t a = 0; a < tile_axes; ++a) {
    grid.counts[a] = static_cast<Dim>(traces[a]->classes.size());
    if (poll_ != nullptr)
      poll_->check_memory(sizeof(std::uint32_t) * static_cast<double>(grid.counts[a]));
    grid.classes[a] = traces[a]->classes;
    grid.class_counts[a] = static_cast<std::uint32_t>(traces[a]->tiles.size());
  }
  bool all = true;
  each_tile(traces, [&](const TileRegions& tile) {
    all = keeps(tile);
    if (all) grid.tiles.push_back(tile);
    return all;
  });
  if (!all) return std::nullopt;
  return grid;
}

void TileGeometry::for_each_tile(const TileShape& shape,
                                 const std::function<bool(const TileRegions&)>& see) {
  each_tile(traces_of(shape), see);
}

TileGeometry::Classes TileGeometry::class_counts(const TileShape& shape) {
  const Traces traces = traces_of(shape);
  return {traces[0]->tiles.size(), traces[1]->tiles.size(), traces[2]->tiles.size()};
}

TileRegions TileGeometry::tile_of(const TileShape& shape, const Classes& classes) {
  TileRegions tile;
  work();
  of_classes(traces_of(shape), classes, tile);
  return tile;
}

void TileGeometry::each_tile(const Traces& traces,
                             const std::function<bool(const TileRegions&)>& see) const {
  TileRegions tile;
  std::array<std::size_t, tile_axes> at{};
  for (at[0] = 0; at[0] < traces[0]->tiles.size(); ++at[0])
    for (at[1] = 0; at[1] < traces[1]->tiles.size(); ++at[1])
      for (at[2] = 0; at[2] < traces[2]->tiles.size(); ++at[2]) {
        work();
        of_classes(traces, at, tile);
        if (!see(tile)) return;
      }
}

void TileGeometry::of_classes(const Traces& traces, const Classes& classes,
                              TileRegions& tile) const {
  std::array<const TileRegions*, tile_axes> axes{};
  bool product = separable_;
  for (std::size_t a = 0; a < tile_axes; ++a) {
    axes[a] = &traces[a]->tiles[classes[a]];
    product = product && traces[a]->complete[classes[a]];
  }
  combine(axes, product, tile);
}

TileRegions TileGeometry::middle_tile(const TileShape& shape, bool first_channel) {
  std::array<const Trace*, tile_axes> traces{};
  std::array<std::size_t, tile_axes> middle{};
  for (std::size_t a = 0; a < tile_axes; ++a) {
    const bool first = first_channel && a == static_cast<std::size_t>(TileAxis::channels);
    traces[a] = first ? &first_of_trace(a, shape.extent[a]) : &trace(a, shape.extent[a]);
    if (!first) middle[a] = traces[a]->classes[traces[a]->classes.size() / 2];
  }
  TileRegions tile;
  of_classes(traces, middle, tile);
  return tile;
}

bool TileGeometry::first_volumes(const TileShape& shape, std::vector<std::int64_t>& volumes) {
  return volumes_ && volumes_->first(shape, volumes);
}

TileGeometry::Found TileGeometry::largest_volumes(const TileShape& shape, bool first_channel,
                                                  std::vector<std::vector<std::int64_t>>& volumes) {
  return volumes_ ? volumes_->largest(shape, first_channel, volumes) : Found::none;
}

TileGeometry::Positions TileGeometry::positions(const TileShape& shape) const {
  Positions positions;
  for (std::size_t a = 0; a < tile_axes; ++a) {
    AxisRules rules(subgraph_, space_, a, shape.extent[a], keeps(a));
    const Dim count = pieces(space_.whole.extent[a], shape.extent[a]);
    for (Dim at = 0; at < count; ++at) {
      work();
      rules.run(at);
      positions.along[a].push_back(rules.regions);
    }
  }
  return positions;
}

TileRegions TileGeometry::tile_at(const Positions& positions,
                                  const std::array<Dim, tile_axes>& position) const {
  std::array<const TileRegions*, tile_axes> found{};
  for (std::size_t a = 0; a < tile_axes; ++a)
    found[a] = &positions.along[a][static_cast<std::size_t>(position[a])];
  TileRegions tile;
  combine(found, false, tile);
  return tile;
}

TileRegions TileGeometry::first_tile(const TileShape& shape) const {
  TileRegions tile;
  first_tile(shape, tile);
  return tile;
}

void TileGeometry::first_tile(const TileShape& shape, TileRegions& tile) const {
  tile.kept.clear();
  tile.times = 1;
  tile.stored.resize(subgraph_.tensors.size());
  for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t)
    tile.stored[t] = nothing(subgraph_.tensor(t).shape.size());
  propagate(subgraph_, OriginRules{subgraph_, space_, shape, tile}, tile);
}

}  // namespace tessera::tiling
