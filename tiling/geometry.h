// The part of every tensor that each tile of a subgraph needs.
//
//   Subgraph part = make_subgraph(net, {3, 7});
//   TileGeometry geometry(part, HaloPolicy::recompute);
//   TileGrid grid = geometry.grid({.extent = {64, 14, 56}});      // channels, height, width
//   for (const TileRegions& tile : grid.tiles) use(tile.needed[t]);
//
// One output, the anchor, is cut into a regular grid. All other regions follow from it, backwards
// through the ops. The tile loops have C outermost and W innermost, or C innermost (walk.h). Other
// tensors that leave the subgraph are stored as far as tiles reach; the stored parts partition
// them.
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

/// Extents of a tile of the anchor along C, H and W; 1 if the anchor has no such axis.
struct TileShape {
  std::array<Dim, tile_axes> extent{1, 1, 1};
  friend auto operator<=>(const TileShape&, const TileShape&) = default;
};

/// The axes that can be cut, and how each tensor follows. Depends only on the subgraph.
struct TileSpace {
  std::size_t anchor = 0;  ///< local index of the largest leaving tensor without reader here
  /// The axis of the anchor; nothing if it has none, its extent is 1, or its op cannot be cut along
  /// it.
  std::array<std::optional<std::size_t>, tile_axes> axis;
  TileShape whole;  ///< extents of the anchor: a single tile
  /// Per tile axis and local tensor: the axis of the tensor that moves with the tile.
  std::array<std::vector<std::optional<std::size_t>>, tile_axes> follows;
  /// Per tile axis and local tensor: all axes that move with the tile.
  std::array<std::vector<AxisSet>, tile_axes> moving;
  /// Per local tensor: its axes that move with several tile axes.
  std::vector<AxisSet> entangled;
  /// Per local tensor: may its overlap with the neighbour tile be kept? Not if several tensors
  /// leave, if axes are mixed, or if some tile may need nothing of a tensor.
  std::vector<bool> has_halo;
};

/// One distinct tile. Indices are those of Subgraph::tensors.
struct TileRegions {
  std::vector<Box> needed;  ///< needed in memory while the tile runs
  std::vector<Box> fresh;   ///< loaded or computed by this tile: all, unless a halo is kept
  std::vector<Box> stored;  ///< of leaving tensors: the part that this tile stores
  /// Rows and columns of the needed part that earlier tiles have left there, so that the others are
  /// fresh. With an empty fresh part it is not known which rows are kept. Empty: nothing is kept.
  std::vector<std::array<Dim, 2>> kept;
  std::int64_t times = 1;  ///< number of equal tiles in the grid
};

struct TileGrid {
  TileShape shape;
  std::array<Dim, tile_axes> counts{1, 1, 1};
  /// Tiles with equal extents, overlaps and paddings are listed once.
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

/// Regions of one subgraph, with a cache shared between shapes. Not thread-safe.
class TileGeometry {
 public:
  /// require: the subgraph outlives the geometry.
  TileGeometry(const Subgraph& subgraph, HaloPolicy halo);
  /// The same with a known space.
  /// require: *space == tile_space(subgraph)
  TileGeometry(const Subgraph& subgraph, HaloPolicy halo, std::shared_ptr<const TileSpace> space);

  /// Sets a poll for grid(), for_each_tile(), tile_of(), middle_tile() and largest_volumes(), which
  /// then throw BudgetEnded and may be called again; nullptr: none. Not owned. Returns the previous
  /// poll.
  Poll* watch(Poll* poll);

  [[nodiscard]] const Subgraph& subgraph() const { return subgraph_; }
  [[nodiscard]] const TileSpace& space() const { return space_; }
  [[nodiscard]] HaloPolicy halo() const { return halo_; }

  /// require: 1 <= shape.extent <= space().whole.extent, equal where the axis cannot be cut.
  [[nodiscard]] TileGrid grid(const TileShape& shape);
  /// The same if `keeps` is true for all tiles. It is not called again after the first false.
  [[nodiscard]] std::optional<TileGrid> grid_if(
      const TileShape& shape, const std::function<bool(const TileRegions&)>& keeps);
  /// Calls see() for the distinct tiles of the grid in order, without storing them: a grid of small
  /// tiles may have more than memory holds. `see` returns whether to continue.
  void for_each_tile(const TileShape& shape, const std::function<bool(const TileRegions&)>& see);

  /// The number of distinct tiles along each axis. for_each_tile() visits all combinations, the
  /// last axis fastest.
  using Classes = std::array<std::size_t, tile_axes>;
  [[nodiscard]] Classes class_counts(const TileShape& shape);
  /// The tile of one combination.
  /// require: classes < class_counts(), axis by axis
  [[nodiscard]] TileRegions tile_of(const TileShape& shape, const Classes& classes);

  /// A tile from the middle of the grid, which usually needs most. With `first_channel`, the middle
  /// along H and W and the first along C, whose needs grow with its extent in any case.
  [[nodiscard]] TileRegions middle_tile(const TileShape& shape, bool first_channel);

  /// Approximate bytes of the cache, which grows with the number of shapes.
  [[nodiscard]] std::size_t held() const;

  /// Is there a tensor whose overlap between adjacent tiles is kept?
  [[nodiscard]] bool keeps_halo() const;

  /// Are boxes products of the ranges of their axes? Then the following functions know volumes.
  [[nodiscard]] bool has_volumes() const { return volumes_ != nullptr; }
  /// The number of elements that each tensor's fresh part takes on-chip, with channels in whole
  /// bricks. Much faster than regions. Returns false if the axes are not independent enough.
  [[nodiscard]] bool first_volumes(const TileShape& shape, std::vector<std::int64_t>& volumes);
  /// The same for the tiles that no other tile of the grid covers: `some` or `all` of them. With
  /// `first_channel`, among the tiles that are first along C.
  enum class Found : std::uint8_t { none, some, all };
  [[nodiscard]] Found largest_volumes(const TileShape& shape, bool first_channel,
                                      std::vector<std::vector<std::int64_t>>& volumes);

  /// The tiles at each position along each axis, in absolute coordinates.
  struct Positions {
    std::array<std::vector<TileRegions>, tile_axes> along;
    [[nodiscard]] Dim count(std::size_t axis) const { return static_cast<Dim>(along[axis].size()); }
  };
  [[nodiscard]] Positions positions(const TileShape& shape) const;
  /// The tile at one position (c, h, w) of the grid. grid() has the same sizes for all tiles of a
  /// class.
  [[nodiscard]] TileRegions tile_at(const Positions& positions,
                                    const std::array<Dim, tile_axes>& position) const;
  /// For a single shape: computes all its positions.
  [[nodiscard]] TileRegions tile_at(const TileShape& shape,
                                    const std::array<Dim, tile_axes>& position) const {
    return tile_at(positions(shape), position);
  }

  /// Regions of the tile at the origin. They grow with every extent of the shape: if a rule
  /// excludes this tile, it excludes all shapes that are at least as large along every axis.
  [[nodiscard]] TileRegions first_tile(const TileShape& shape) const;
  /// The same into `tile`, whose memory is reused.
  void first_tile(const TileShape& shape, TileRegions& tile) const;

 private:
  struct Trace;  // the tiles along one axis, the other axes whole
  const Trace& trace(std::size_t axis, Dim extent);
  using Traces = std::array<const Trace*, tile_axes>;
  [[nodiscard]] Traces traces_of(const TileShape& shape);
  const Trace& first_of_trace(std::size_t axis, Dim extent);
  void add_class(Trace& trace, const TileRegions& regions, bool complete);
  /// Polls one position along an axis or one tile, propagated through all ops.
  void work() const {
    if (poll_ != nullptr) (*poll_)(4 + static_cast<std::int64_t>(subgraph_.steps()));
  }
  void each_tile(const Traces& traces, const std::function<bool(const TileRegions&)>& see) const;
  [[nodiscard]] bool keeps(std::size_t axis) const;
  /// `product`: each box is the product of the ranges of its axes. Overwrites `tile` and reuses its
  /// memory.
  void combine(const std::array<const TileRegions*, tile_axes>& axes, bool product,
               TileRegions& tile) const;
  [[nodiscard]] std::array<Dim, 2> kept(const std::array<const TileRegions*, tile_axes>& axes,
                                        std::size_t t) const;
  void of_classes(const Traces& traces, const Classes& classes, TileRegions& tile) const;

  const Subgraph& subgraph_;
  HaloPolicy halo_;
  std::shared_ptr<const TileSpace> kept_space_;
  const TileSpace& space_;
  bool separable_;  ///< regions of a tile are intersections of the regions per axis
  std::array<std::map<Dim, std::unique_ptr<Trace>>, tile_axes> traces_;
  std::array<std::map<Dim, std::unique_ptr<Trace>>, tile_axes> firsts_;
  Poll* poll_ = nullptr;
  std::size_t held_ = 0;                        ///< by traces
  std::unique_ptr<class TileVolumes> volumes_;  ///< null if boxes are not products

 public:
  ~TileGeometry();
  TileGeometry(const TileGeometry&) = delete;
  TileGeometry& operator=(const TileGeometry&) = delete;
};

/// Sets the poll of a geometry until the end of a block.
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
