// The tiles along one axis with the other axes whole; shared by geometry.cpp and volumes.cpp.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "tiling/geometry.h"
#include "tiling/propagate.h"

namespace tessera::tiling {

/// Division rounded up, without a sum that could overflow.
inline Dim pieces(Dim whole_extent, Dim extent) {
  return (whole_extent - 1) / extent + 1;
}

/// The parts of leaving tensors that the tiles along one axis store, position by position. The
/// parts partition each tensor.
struct StoredPieces {
  /// require: both outlive this.
  StoredPieces(const Subgraph& of, const TileSpace& space_of_it, std::size_t along, Dim tile_extent)
      : subgraph(of),
        space(space_of_it),
        axis(along),
        extent(tile_extent),
        total(space_of_it.whole.extent[along]),
        stored_to(of.tensors.size()) {
    for (std::size_t t = 0; t < of.tensors.size(); ++t)
      pieces.push_back(nothing(of.tensor(t).shape.size()));
  }

  [[nodiscard]] Dim end() const { return std::min(total, (position + 1) * extent); }

  /// Extends the needed box of t by the part stored at this position.
  /// require: called once per tensor and position, in the order of positions, after all readers of
  /// t.
  void store(std::size_t t, Box& needed) {
    Box& piece = pieces[t];
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

  const Subgraph& subgraph;
  const TileSpace& space;
  std::size_t axis;
  Dim extent;
  Dim total;
  Dim position = 0;
  std::vector<Dim> stored_to;
  std::vector<Box> pieces;  ///< per local tensor, at this position
};

/// The tile at one position along one axis, with the other axes whole. Keeps the state that the
/// next position needs: how far each tensor is stored, and what was in memory.
struct AxisRules {
  AxisRules(const Subgraph& of, const TileSpace& space_of_it, std::size_t along, Dim tile_extent,
            bool keep_halo)
      : subgraph(of),
        space(space_of_it),
        axis(along),
        keep(keep_halo),
        storing(of, space_of_it, along, tile_extent),
        before(of.tensors.size()) {
    for (std::size_t t = 0; t < of.tensors.size(); ++t) {
      before[t] = nothing(of.tensor(t).shape.size());
      fixed.push_back(space.entangled[t] | ~space.moving[along][t]);
    }
  }

  void store(std::size_t t, Box& needed) { storing.store(t, needed); }

  Box fresh(std::size_t t, const Box& needed) {
    const Box previous = before[t];
    before[t] = needed;
    const std::optional<std::size_t> along = space.follows[axis][t];
    if (!keep || !along || !space.has_halo[t] || needed.none || previous.none) return needed;
    Box covered = previous;  // only the other axes matter
    covered[*along] = needed[*along];
    if (previous[*along].begin > needed[*along].begin || !contains(covered, needed)) return needed;
    Box rest = needed;
    rest[*along].begin = std::max(rest[*along].begin, previous[*along].end);
    return tidy(rest);
  }

  bool read(const LocalOperand& by, const Box& region) {
    read_.emplace_back(by.local, region);
    return true;
  }

  void run(Dim at) {
    storing.position = at;
    read_.clear();
    propagate(subgraph, *this, regions);
    regions.stored = storing.pieces;
  }

  /// Is every part that is stored, produced or read along this axis non-empty? Otherwise another
  /// axis does not know that nothing of it is needed.
  [[nodiscard]] bool complete() const {
    const auto some = [](const Box& box) { return !box.none; };
    for (std::size_t t = 0; t < subgraph.tensors.size(); ++t)
      if (subgraph.tensors[t].leaves && regions.stored[t].none) return false;
    return std::ranges::all_of(regions.fresh, some) &&
           std::ranges::all_of(read_, [&](const auto& read) { return some(read.second); });
  }

  /// Sets `out` to a key that is equal for positions whose tiles differ only by a shift. Reuses its
  /// memory.
  void key(std::vector<Dim>& out) const {
    out.clear();
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
      // If two tile axes move one axis of a tensor, their combined range depends on the position.
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
  }

  /// An op may not move its input in proportion to its output. The size of a part of a region may
  /// then depend on the position, even if that of the region does not.
  void phases(std::size_t step, const Box& made, std::vector<Dim>& out) const {
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
        period = all[x] + 1;  // mirrored at the border: all positions differ
      if (period == 1 || made.none) continue;
      out.push_back(made[x].begin % period);
      out.push_back((made[x].begin == 0 ? 1 : 0) + (made[x].end == all[x] ? 2 : 0));
    }
  }

  const Subgraph& subgraph;
  const TileSpace& space;
  std::size_t axis;
  bool keep;
  StoredPieces storing;
  TileRegions regions;
  std::vector<Box> before;
  std::vector<AxisSet> fixed;  ///< axes on which the absolute position matters
  std::vector<std::pair<std::size_t, Box>> read_;
};

}  // namespace tessera::tiling
