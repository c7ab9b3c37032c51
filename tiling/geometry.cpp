#include "tiling/geometry.h"

#include <algorithm>
#include <numeric>

#include "tiling/propagate.h"

namespace tessera {
namespace {

using Key = std::vector<Dim>;

/// Ceiling without the sum that could wrap.
Dim pieces(Dim whole_extent, Dim extent) {
  return (whole_extent - 1) / extent + 1;
}

/// The tile at one position along one axis, the other axes whole. Keeps what the next position
/// has to know: how far each tensor is stored, and what was in memory.
struct AxisRules {
  AxisRules(const Subgraph& of, const TileSpace& space_of_it, std::size_t along, Dim tile_extent,
            bool keep_halo)
      : subgraph(of),
        space(space_of_it),
        axis(along),
        extent(tile_extent),
        total(space_of_it.whole.extent[along]),
        keep(keep_halo),
        stored_to(of.tensors.size()),
        before(of.tensors.size()) {
    for (std::size_t t = 0; t < of.tensors.size(); ++t) {
      before[t] = nothing(of.tensor(t).shape.size());
      fixed.push_back(space.entangled[t] | ~space.moving[along][t]);
    }
  }

  void store(std::size_t t, Box& needed) {
    Box& piece = regions.stored[t];
    const LocalTensor& local = subgraph.tensors[t];
    if (!local.leaves) return;
    const bool last = end() == total;
    piece = whole(subgraph.tensor(t).shape);
    if (t == space.anchor) {
      if (space.axis[axis]) piece[*space.axis[axis]] = {position * extent, end()};
    } else if (const std::optional<std::size_t> along = space.follows[axis][t]) {
      const Dim all = piece[*along].end;
      Dim to = all;
      if (!last && local.consumers.empty()) to = all * end() / total;
      if (!last && !local.consumers.empty()) to = needed.none ? 0 : needed[*along].end;
      piece[*along] = {stored_to[t], std::max(stored_to[t], to)};
      stored_to[t] = piece[*along].end;
    } else if (position > 0) {
      piece = nothing(piece.rank);
    }
    piece = tidy(piece);
    needed = hull(needed, piece);
  }

  Box fresh(std::size_t t, const Box& needed) {
    const Box previous = before[t];
    before[t] = needed;
    const std::optional<std::size_t> along = space.follows[axis][t];
    if (!keep || !along || !space.has_halo[t] || needed.none || previous.none) return needed;
    Box covered = previous;  // all that matters are the other axes
    covered[*along] = needed[*along];
    if (previous[*along].begin > needed[*along].begin || !contains(covered, needed)) return needed;
    Box rest = needed;
    rest[*along].begin = std::max(rest[*along].begin, previous[*along].end);
    return tidy(rest);
  }

  void read(const LocalOperand& by, const Box& region) { read_.emplace_back(by.local, region); }

  [[nodiscard]] Dim end() const { return std::min(total, (position + 1) * extent); }

  void run(Dim at) {
    position = at;
    read_.clear();
    regions.stored.clear();
    for (std::size_t t = 0; t < subgraph.tensors.size(); ++t)
      regions.stored.push_back(nothing(subgraph.tensor(t).shape.size()));
    propagate(subgraph, *this, regions);
  }

  /// Is every piece that is stored, made or read there along this axis? Where one is not, another
  /// axis does not know that nothing of it is needed.
  [[nodiscard]] bool complete() const {
    const auto some = [](const Box& box) { return !box.none; };
    for (std::size_t t = 0; t < subgraph.tensors.size(); ++t)
      if (subgraph.tensors[t].leaves && regions.stored[t].none) return false;
    return std::ranges::all_of(regions.fresh, some) &&
           std::ranges::all_of(read_, [&](const auto& read) { return some(read.second); });
  }

  /// Equal for two positions whose tiles differ by nothing but where they are.
  [[nodiscard]] Key key() const {
    Key out;
    const auto absolute = [&](const Box& box, const AxisSet& axes) {
      for (std::size_t x = 0; x < box.rank; ++x)
        if (axes[x]) out.push_back(box[x].begin);
    };
    const auto relative = [&](const Box& box, const Box& to) {
      out.push_back(box.none ? 0 : 1);
      if (box.none) return;
      for (std::size_t x = 0; x < box.rank; ++x) {
        out.push_back(box[x].begin - (to.none ? 0 : to[x].begin));
        out.push_back(box[x].size());
      }
    };
    for (std::size_t t = 0; t < subgraph.tensors.size(); ++t) {
      const Box& needed = regions.needed[t];
      relative(needed, needed);
      relative(regions.fresh[t], needed);
      relative(regions.stored[t], needed);
      // Where two axes of the tile move one axis of a tensor, how the two meet depends on where.
      absolute(needed, fixed[t]);
      absolute(regions.fresh[t], fixed[t]);
    }
    for (const auto& [t, region] : read_) relative(region, regions.needed[t]);
    for (std::size_t step = 0; step < subgraph.steps(); ++step) {
      const Box& made = regions.fresh[subgraph.made_at[step].front()];
      const Padding padding =
          tile_padding(*subgraph.network, subgraph.op(static_cast<Step>(step)), made);
      out.insert(out.end(), padding.before.begin(), padding.before.end());
      out.insert(out.end(), padding.after.begin(), padding.after.end());
      phases(step, made, out);
    }
    return out;
  }

  /// Where an op does not move its input as it moves its output, a part of a region may be of
  /// another size elsewhere even if the whole is not.
  void phases(std::size_t step, const Box& made, Key& out) const {
    const Op& op = subgraph.op(static_cast<Step>(step));
    const std::vector<Dim>& in = subgraph.network->tensors[op.inputs[0]].shape;
    const std::vector<Dim>& all = subgraph.network->tensors[op.outputs[0]].shape;
    for (std::size_t x = 0; x < made.rank; ++x) {
      Dim period = 1;
      if (op.kind == OpKind::conv_transpose && x >= 2) period = op.stride[x - 2];
      if (op.kind == OpKind::resize) period = all[x] / std::gcd(in[x], all[x]);
      if (op.kind == OpKind::depth_to_space && x >= 2) period = op.block;
      if (op.kind == OpKind::space_to_depth && x == 1) period = all[x];
      if (op.kind == OpKind::pad && op.function != "constant" && !made.none &&
          (made[x].begin < op.pad_begin[x] || made[x].end > op.pad_begin[x] + in[x]))
        period = all[x] + 1;  // mirrored at the border: no two places are alike
      if (period == 1 || made.none) continue;
      out.push_back(made[x].begin % period);
      out.push_back((made[x].begin == 0 ? 1 : 0) + (made[x].end == all[x] ? 2 : 0));
    }
  }

  const Subgraph& subgraph;
  const TileSpace& space;
  std::size_t axis;
  Dim extent;
  Dim total;
  bool keep;
  Dim position = 0;
  TileRegions regions;
  std::vector<Dim> stored_to;
  std::vector<Box> before;
  std::vector<AxisSet> fixed;  ///< axes on which it matters where the tile is
  std::vector<std::pair<std::size_t, Box>> read_;
};

/// A tile whose stored pieces are known already and that keeps nothing.
struct GivenRules {
  const std::vector<Box>& stored;
  void store(std::size_t t, Box& needed) const { needed = hull(needed, stored[t]); }
  static Box fresh(std::size_t, const Box& needed) { return needed; }
  static void read(const LocalOperand&, const Box&) {}
};

/// The tile at the origin; stored pieces as far as its own readers reach.
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
  static void read(const LocalOperand&, const Box&) {}
};

/// Does every op map each axis of its output to one axis of each operand, independently of the
/// others? Then so does the whole run, and a box is the product of what its axes need alone, as
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
        // Without the reduced axes the others change their places.
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

/// How the fresh part of a tensor differs from that of the single tile that is the whole.
struct TileGeometry::Part {
  AxisSet cut;              ///< axes along which it does
  std::int64_t size = 1;    ///< elements along those
  std::int64_t single = 1;  ///< elements of the single tile along those
};

struct TileGeometry::Trace {
  std::vector<std::uint32_t> classes;  ///< per position
  std::vector<TileRegions> tiles;      ///< per class: its first position
  std::vector<bool> complete;          ///< per class: AxisRules::complete
  std::vector<std::size_t> largest;    ///< complete classes no other of them covers
  bool all_complete = true;
  std::vector<std::vector<Part>> parts;  ///< per class and tensor, where axes are independent
};

namespace {

/// Is every range of every box at least as long as its counterpart?
bool covers(const TileRegions& large, const TileRegions& small) {
  for (std::size_t t = 0; t < large.fresh.size(); ++t)
    for (std::size_t x = 0; x < large.fresh[t].rank; ++x)
      if (large.fresh[t][x].size() < small.fresh[t][x].size()) return false;
  return true;
}

}  // namespace

TileGeometry::TileGeometry(const Subgraph& subgraph, HaloPolicy halo)
    : subgraph_(subgraph),
      halo_(halo),
      space_(tile_space(subgraph)),
      separable_(
          separable(subgraph) &&
          std::ranges::none_of(space_.entangled, [](const AxisSet& axes) { return axes.any(); })),
      multiplies_(separable_ && !keeps_halo()),
      single_(first_tile(space_.whole)) {
  for (const Box& box : single_.fresh) single_volumes_.push_back(volume(box));
}

TileGeometry::~TileGeometry() = default;

bool TileGeometry::keeps(std::size_t axis) const {
  return (axis == static_cast<std::size_t>(TileAxis::width) && halo_ != HaloPolicy::recompute) ||
         (axis == static_cast<std::size_t>(TileAxis::height) && halo_ == HaloPolicy::keep);
}

bool TileGeometry::keeps_halo() const {
  return halo_ != HaloPolicy::recompute &&
         std::ranges::find(space_.has_halo, true) != space_.has_halo.end();
}

void TileGeometry::add_class(Trace& trace, const TileRegions& regions, bool complete) const {
  trace.tiles.push_back(regions);
  trace.tiles.back().times = 0;
  trace.complete.push_back(complete);
  if (!multiplies_) return;
  std::vector<Part>& parts = trace.parts.emplace_back(regions.fresh.size());
  for (std::size_t t = 0; t < parts.size(); ++t) {
    const Box& box = regions.fresh[t];
    for (std::size_t x = 0; x < box.rank; ++x) {
      if (box[x] == single_.fresh[t][x]) continue;
      parts[t].cut.set(x);
      parts[t].size *= box[x].size();
      parts[t].single *= single_.fresh[t][x].size();
    }
  }
}

const TileGeometry::Trace& TileGeometry::trace(std::size_t axis, Dim extent) {
  std::unique_ptr<Trace>& slot = traces_[axis][extent];
  if (slot) return *slot;
  slot = std::make_unique<Trace>();
  AxisRules rules(subgraph_, space_, axis, extent, keeps(axis));
  std::map<Key, std::uint32_t> known;
  const Dim count = pieces(space_.whole.extent[axis], extent);
  for (Dim position = 0; position < count; ++position) {
    rules.run(position);
    const auto [at, added] =
        known.try_emplace(rules.key(), static_cast<std::uint32_t>(slot->tiles.size()));
    if (added) add_class(*slot, rules.regions, rules.complete());
    slot->classes.push_back(at->second);
    ++slot->tiles[at->second].times;
  }
  find_largest(*slot);
  return *slot;
}

const TileGeometry::Trace& TileGeometry::first_of_trace(std::size_t axis, Dim extent) {
  std::unique_ptr<Trace>& slot = firsts_[axis][extent];
  if (slot) return *slot;
  slot = std::make_unique<Trace>();
  AxisRules rules(subgraph_, space_, axis, extent, keeps(axis));
  rules.run(0);
  add_class(*slot, rules.regions, rules.complete());
  find_largest(*slot);
  return *slot;
}

void TileGeometry::find_largest(Trace& trace) {
  for (std::size_t c = 0; c < trace.tiles.size(); ++c) {
    if (!trace.complete[c]) {
      trace.all_complete = false;
      continue;
    }
    const auto held = [&](std::size_t other) { return covers(trace.tiles[other], trace.tiles[c]); };
    if (std::ranges::any_of(trace.largest, held)) continue;
    std::erase_if(trace.largest,
                  [&](std::size_t other) { return covers(trace.tiles[c], trace.tiles[other]); });
    trace.largest.push_back(c);
  }
}

TileRegions TileGeometry::combine(const std::array<const TileRegions*, tile_axes>& axes,
                                  bool product) const {
  TileRegions tile;
  tile.times = axes[0]->times * axes[1]->times * axes[2]->times;
  tile.stored = axes[0]->stored;
  for (std::size_t t = 0; t < tile.stored.size(); ++t)
    for (std::size_t a = 1; a < tile_axes; ++a)
      tile.stored[t] = intersect(tile.stored[t], axes[a]->stored[t]);
  if (!keeps_halo() && !product) {
    propagate(subgraph_, GivenRules{tile.stored}, tile);
    return tile;
  }
  // Each axis gives its own ranges (halos are kept only where the axes do not meet).
  const auto common = [&](std::vector<Box> TileRegions::*part) {
    std::vector<Box> boxes = axes[0]->*part;
    for (std::size_t t = 0; t < boxes.size(); ++t)
      for (std::size_t a = 1; a < tile_axes; ++a)
        boxes[t] = intersect(boxes[t], (axes[a]->*part)[t]);
    return boxes;
  };
  tile.needed = common(&TileRegions::needed);
  tile.fresh = common(&TileRegions::fresh);
  return tile;
}

TileGrid TileGeometry::grid(const TileShape& shape) {
  TileGrid grid;
  grid.shape = shape;
  std::array<const Trace*, tile_axes> traces{};
  for (std::size_t a = 0; a < tile_axes; ++a) {
    traces[a] = &trace(a, shape.extent[a]);
    grid.counts[a] = static_cast<Dim>(traces[a]->classes.size());
    grid.classes[a] = traces[a]->classes;
    grid.class_counts[a] = static_cast<std::uint32_t>(traces[a]->tiles.size());
  }
  std::array<std::size_t, tile_axes> at{};
  for (at[0] = 0; at[0] < grid.class_counts[0]; ++at[0])
    for (at[1] = 0; at[1] < grid.class_counts[1]; ++at[1])
      for (at[2] = 0; at[2] < grid.class_counts[2]; ++at[2])
        grid.tiles.push_back(of_classes(traces, at));
  return grid;
}

TileRegions TileGeometry::of_classes(const std::array<const Trace*, tile_axes>& traces,
                                     const std::array<std::size_t, tile_axes>& classes) const {
  std::array<const TileRegions*, tile_axes> axes{};
  bool product = separable_;
  for (std::size_t a = 0; a < tile_axes; ++a) {
    axes[a] = &traces[a]->tiles[classes[a]];
    product = product && traces[a]->complete[classes[a]];
  }
  return combine(axes, product);
}

TileRegions TileGeometry::middle_tile(const TileShape& shape, bool first_channel) {
  std::array<const Trace*, tile_axes> traces{};
  std::array<std::size_t, tile_axes> middle{};
  for (std::size_t a = 0; a < tile_axes; ++a) {
    const bool first = first_channel && a == static_cast<std::size_t>(TileAxis::channels);
    traces[a] = first ? &first_of_trace(a, shape.extent[a]) : &trace(a, shape.extent[a]);
    if (!first) middle[a] = traces[a]->classes[traces[a]->classes.size() / 2];
  }
  return of_classes(traces, middle);
}

bool TileGeometry::multiply(const std::array<const Trace*, tile_axes>& traces,
                            const std::array<std::size_t, tile_axes>& classes,
                            std::vector<std::int64_t>& volumes) const {
  const auto& c = traces[0]->parts[classes[0]];
  const auto& h = traces[1]->parts[classes[1]];
  const auto& w = traces[2]->parts[classes[2]];
  volumes.resize(c.size());
  for (std::size_t t = 0; t < volumes.size(); ++t) {
    if (((c[t].cut & h[t].cut) | (c[t].cut & w[t].cut) | (h[t].cut & w[t].cut)).any()) return false;
    const std::int64_t single = c[t].single * h[t].single * w[t].single;
    volumes[t] = single == 0 ? 0 : single_volumes_[t] / single * c[t].size * h[t].size * w[t].size;
  }
  return true;
}

bool TileGeometry::first_volumes(const TileShape& shape, std::vector<std::int64_t>& volumes) {
  if (!multiplies_) return false;
  std::array<const Trace*, tile_axes> traces{};
  for (std::size_t a = 0; a < tile_axes; ++a) {
    traces[a] = &first_of_trace(a, shape.extent[a]);
    if (!traces[a]->complete[0]) return false;
  }
  return multiply(traces, {0, 0, 0}, volumes);
}

TileGeometry::Found TileGeometry::largest_volumes(const TileShape& shape, bool first_channel,
                                                  std::vector<std::vector<std::int64_t>>& volumes) {
  if (!multiplies_) return Found::none;
  std::array<const Trace*, tile_axes> traces{};
  Found found = Found::all;
  for (std::size_t a = 0; a < tile_axes; ++a) {
    const bool first = first_channel && a == static_cast<std::size_t>(TileAxis::channels);
    traces[a] = first ? &first_of_trace(a, shape.extent[a]) : &trace(a, shape.extent[a]);
    if (traces[a]->largest.empty()) return Found::none;
    if (!traces[a]->all_complete) found = Found::some;
  }
  volumes.clear();
  for (const std::size_t c : traces[0]->largest)
    for (const std::size_t h : traces[1]->largest)
      for (const std::size_t w : traces[2]->largest)
        if (!multiply(traces, {c, h, w}, volumes.emplace_back())) return Found::none;
  return found;
}

TileRegions TileGeometry::tile_at(const TileShape& shape,
                                  const std::array<Dim, tile_axes>& position) const {
  std::array<TileRegions, tile_axes> found;
  for (std::size_t a = 0; a < tile_axes; ++a) {
    AxisRules rules(subgraph_, space_, a, shape.extent[a], keeps(a));
    for (Dim at = 0; at <= position[a]; ++at) rules.run(at);
    found[a] = std::move(rules.regions);
  }
  return combine({&found[0], &found[1], &found[2]}, false);
}

TileRegions TileGeometry::first_tile(const TileShape& shape) const {
  TileRegions regions;
  for (std::size_t t = 0; t < subgraph_.tensors.size(); ++t)
    regions.stored.push_back(nothing(subgraph_.tensor(t).shape.size()));
  propagate(subgraph_, OriginRules{subgraph_, space_, shape, regions}, regions);
  return regions;
}

}  // namespace tessera
