// Which part of every tensor each tile of a subgraph needs.
//
//   Subgraph part = make_subgraph(net, {3, 7});
//   TileGeometry geometry(part, HaloPolicy::recompute);
//   TileGrid grid = geometry.grid({.extent = {64, 14, 56}});      // channels, height, width
//   for (const TileRegions& tile : grid.tiles) use(tile.needed[t]);
//
// One output, the anchor, is cut into a regular grid; everything else follows from it, backwards.
// Tiles run with C outermost and W innermost, or with C innermost (walk.h). Other tensors that
// leave the subgraph are stored piecewise as far as tiles reach; the pieces partition them.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "model/poll.h"
#include "tessera/hardware.h"
#include "tiling/box.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

enum class TileAxis : std::uint8_t { channels, height, width };
inline constexpr std::size_t tile_axes = 3;
using AxisSet = std::bitset<max_rank>;  ///< of a tensor

/// Extent of a tile of the anchor along C, H and W; 1 where the anchor has no such axis.
struct TileShape {
  std::array<Dim, tile_axes> extent{1, 1, 1};
  friend auto operator<=>(const TileShape&, const TileShape&) = default;
};

/// What can be cut, and how each tensor follows. Depends on the subgraph alone.
struct TileSpace {
  std::size_t anchor = 0;  ///< local tensor: the largest of those that leave and feed nothing
  /// Axis of the anchor; nothing where it has none, or extent 1, or its op cannot cut it.
  std::array<std::optional<std::size_t>, tile_axes> axis;
  TileShape whole;  ///< extents of the anchor: the shape with one tile
  /// Per tile axis and local tensor: the axis of the tensor that moves along with the tile.
  std::array<std::vector<std::optional<std::size_t>>, tile_axes> follows;
  /// Per tile axis and local tensor: all its axes that move along.
  std::array<std::vector<AxisSet>, tile_axes> moving;
  /// Per local tensor: its axes that move along with several axes of the tile.
  std::vector<AxisSet> entangled;
  /// Per local tensor: may its overlap with the neighbouring tile be kept? Never where several
  /// tensors leave, where axes are mixed, or where a tile may need nothing of a tensor.
  std::vector<bool> has_halo;
};

/// One distinct tile. Indices are those of Subgraph::tensors.
struct TileRegions {
  std::vector<Box> needed;  ///< what must be in memory while the tile runs
  std::vector<Box>
      fresh;  ///< the part of it this tile loads or computes: all, unless a halo is kept
  std::vector<Box> stored;  ///< of tensors that leave: the part this tile stores
  /// Rows and columns of what is needed that the tiles before have left there, so that all the
  /// others are fresh. An empty fresh part does not tell which of them are; empty: nothing is kept.
  std::vector<std::array<Dim, 2>> kept;
  std::int64_t times = 1;  ///< how many tiles of the grid are like this
};

struct TileGrid {
  TileShape shape;
  std::array<Dim, tile_axes> counts{1, 1, 1};
  /// Tiles with equal extents, overlaps and paddings are one tile, listed once.
  std::vector<TileRegions> tiles;
  /// Per tile axis: the class of each position along it.
  std::array<std::vector<std::uint32_t>, tile_axes> classes;
  std::array<std::uint32_t, tile_axes> class_counts{1, 1, 1};

  [[nodiscard]] std::int64_t count() const { return counts[0] * counts[1] * counts[2]; }
  /// Index into `tiles` of the tile at a position of the grid.
  [[nodiscard]] std::size_t at(Dim c, Dim h, Dim w) const {
    const auto part = [&](std::size_t axis, Dim position) {
      return std::size_t{classes[axis][static_cast<std::size_t>(position)]};
    };
    return (part(0, c) * class_counts[1] + part(1, h)) * class_counts[2] + part(2, w);
  }
};

[[nodiscard]] TileSpace tile_space(const Subgraph& subgraph);

/// Answers for one subgraph, keeping what shapes have in common. Not thread-safe.
class TileGeometry {
 public:
  /// require: the subgraph outlives the geometry.
  TileGeometry(const Subgraph& subgraph, HaloPolicy halo);
  /// The same, where somebody has asked about it before. require: *space == tile_space(subgraph)
  TileGeometry(const Subgraph& subgraph, HaloPolicy halo, std::shared_ptr<const TileSpace> space);

  /// Who is asked by grid(), for_each_tile(), tile_of(), middle_tile() and largest_volumes()
  /// whether to go on, which then throw BudgetEnded and may be called again; nullptr: nobody. Not
  /// owned. Returns who was asked before.
  Poll* watch(Poll* poll);

  [[nodiscard]] const Subgraph& subgraph() const { return subgraph_; }
  [[nodiscard]] const TileSpace& space() const { return space_; }
  [[nodiscard]] HaloPolicy halo() const { return halo_; }

  /// require: 1 <= shape.extent <= space().whole.extent, equal where the axis cannot be cut.
  [[nodiscard]] TileGrid grid(const TileShape& shape);
  /// The same, if `keeps` says yes of all of its tiles; it is not asked of any after the first no.
  [[nodiscard]] std::optional<TileGrid> grid_if(
      const TileShape& shape, const std::function<bool(const TileRegions&)>& keeps);
  /// The distinct tiles of the grid in their order, one after the other and none of them kept: a
  /// grid of small tiles may have more of them than memory takes. `see` says whether to go on.
  void for_each_tile(const TileShape& shape, const std::function<bool(const TileRegions&)>& see);

  /// How many distinct tiles there are along each axis; for_each_tile() goes through all that they
  /// make together, the last axis fastest.
  using Classes = std::array<std::size_t, tile_axes>;
  [[nodiscard]] Classes class_counts(const TileShape& shape);
  /// One of them. require: below class_counts(), axis by axis
  [[nodiscard]] TileRegions tile_of(const TileShape& shape, const Classes& classes);

  /// One of the grid's tiles, from the middle: as a rule the one that needs most. With
  /// `first_channel` only along H and W, and along C the first, which grows with its extent
  /// whatever the others are.
  [[nodiscard]] TileRegions middle_tile(const TileShape& shape, bool first_channel);

  /// About how many bytes what was found so far takes, which grows with the shapes asked about.
  [[nodiscard]] std::size_t held() const;

  /// Is there a tensor of which tiles that are next to each other share some, and keep it?
  [[nodiscard]] bool keeps_halo() const;

  /// Are boxes products of what the axes need alone, so that the following may know volumes?
  [[nodiscard]] bool has_volumes() const { return volumes_ != nullptr; }
  /// How many elements each tensor's fresh part takes on the chip, channels in whole bricks,
  /// without the regions and much cheaper, where the axes are independent enough; false where they
  /// are not.
  [[nodiscard]] bool first_volumes(const TileShape& shape, std::vector<std::int64_t>& volumes);
  /// The same of the tiles that no other tile of the grid covers: `some` of them, or `all`. With
  /// `first_channel` among those tiles that are first along C.
  enum class Found : std::uint8_t { none, some, all };
  [[nodiscard]] Found largest_volumes(const TileShape& shape, bool first_channel,
                                      std::vector<std::vector<std::int64_t>>& volumes);

  /// The tiles along each axis at each of its positions, in absolute coordinates.
  struct Positions {
    std::array<std::vector<TileRegions>, tile_axes> along;
    [[nodiscard]] Dim count(std::size_t axis) const { return static_cast<Dim>(along[axis].size()); }
  };
  [[nodiscard]] Positions positions(const TileShape& shape) const;
  /// The tile at one position (c, h, w) of the shape that they are of, below their counts. grid()
  /// has the same sizes for all tiles of a class.
  [[nodiscard]] TileRegions tile_at(const Positions& positions,
                                    const std::array<Dim, tile_axes>& position) const;
  /// Of one shape alone: all positions are gone through for it.
  [[nodiscard]] TileRegions tile_at(const TileShape& shape,
                                    const std::array<Dim, tile_axes>& position) const {
    return tile_at(positions(shape), position);
  }

  /// Regions of the tile at the origin only. They grow with every extent of the shape, so what
  /// does not hold this tile holds no tile shape that is at least as large along every axis.
  [[nodiscard]] TileRegions first_tile(const TileShape& shape) const;
  /// The same in `tile`, which keeps its memory.
  void first_tile(const TileShape& shape, TileRegions& tile) const;

 private:
  struct Trace;  // the tiles along one axis, the other axes whole
  const Trace& trace(std::size_t axis, Dim extent);
  using Traces = std::array<const Trace*, tile_axes>;
  [[nodiscard]] Traces traces_of(const TileShape& shape);
  const Trace& first_of_trace(std::size_t axis, Dim extent);
  void add_class(Trace& trace, const TileRegions& regions, bool complete);
  /// One position along an axis or one tile: propagated through all ops.
  void work() const {
    if (poll_ != nullptr) (*poll_)(4 + static_cast<std::int64_t>(subgraph_.steps()));
  }
  void each_tile(const Traces& traces, const std::function<bool(const TileRegions&)>& see) const;
  [[nodiscard]] bool keeps(std::size_t axis) const;
  /// `product`: each box is the product of what the axes need alone. `tile` is made anew: it keeps
  /// its memory.
  void combine(const std::array<const TileRegions*, tile_axes>& axes, bool product,
               TileRegions& tile) const;
  [[nodiscard]] std::array<Dim, 2> kept(const std::array<const TileRegions*, tile_axes>& axes,
                                        std::size_t t) const;
  void of_classes(const Traces& traces, const Classes& classes, TileRegions& tile) const;

  const Subgraph& subgraph_;
  HaloPolicy halo_;
  std::shared_ptr<const TileSpace> kept_space_;
  const TileSpace& space_;
  bool separable_;  ///< regions of a tile are the intersections of what its axes need
  std::array<std::map<Dim, std::unique_ptr<Trace>>, tile_axes> traces_;
  std::array<std::map<Dim, std::unique_ptr<Trace>>, tile_axes> firsts_;
  Poll* poll_ = nullptr;
  std::size_t held_ = 0;                        ///< by traces
  std::unique_ptr<class TileVolumes> volumes_;  ///< nothing where boxes are not products

 public:
  ~TileGeometry();
  TileGeometry(const TileGeometry&) = delete;
  TileGeometry& operator=(const TileGeometry&) = delete;
};

/// Has a geometry watched until the end of a block.
class WatchedGeometry {
 public:
  WatchedGeometry(TileGeometry& geometry, Poll& poll)
      : geometry_(geometry), before_(geometry.watch(&poll)) {}
  ~WatchedGeometry() { geometry_.watch(before_); }
  WatchedGeometry(const WatchedGeometry&) = delete;
  WatchedGeometry& operator=(const WatchedGeometry&) = delete;

 private:
  TileGeometry& geometry_;
  Poll* before_;
};

}  // namespace tessera::tiling
