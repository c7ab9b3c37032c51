// The order of a group's tiles, and what each of them has to load.
//
//   const TileWalk walk(grid, lowering);
//   for (const TileVisit& visit : walk.visits()) ...        // distinct tiles, and how often each
//   if (walk.loads(t, visit.level)) ...                     // else the previous tile has left it
//
// The axes are nested loops. A stationary tensor is loaded again when the tile moves along an axis
// that the tensor follows. A tile's level tells which loops have advanced since the previous tile.
// Only the first tile loads resident weights.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tiling/geometry.h"
#include "tiling/lower.h"

namespace tessera::tiling {

/// The loops that advance at this tile: the innermost one; the middle one; the outermost one; or
/// none, because it is the first tile.
enum class TileLevel : std::uint8_t { inner, middle, outer, first };
inline constexpr std::size_t tile_levels = 4;

struct TileVisit {
  std::size_t tile = 0;  ///< index in grid.tiles
  TileLevel level = TileLevel::first;
  std::int64_t times = 1;
};

/// Axes (TileAxis), outermost first.
[[nodiscard]] std::array<std::size_t, tile_axes> tile_order(Stationary stationary);

class TileWalk {
 public:
  /// require: the grid outlives the walk.
  TileWalk(const TileGrid& grid, const Lowering& lowering);

  [[nodiscard]] const std::array<std::size_t, tile_axes>& order() const { return order_; }
  /// Every tile of the grid is one of these. Without stationary tensors all are `first`: they load
  /// everything.
  [[nodiscard]] const std::vector<TileVisit>& visits() const { return visits_; }
  /// Index in visits() of the tile at a position (TileAxis).
  [[nodiscard]] std::size_t at(const std::array<Dim, tile_axes>& position) const {
    const std::size_t tile = grid_->at(position[0], position[1], position[2]);
    return visit_of_[tile * tile_levels + static_cast<std::size_t>(level_at(position))];
  }
  [[nodiscard]] TileLevel level_at(const std::array<Dim, tile_axes>& position) const;
  /// Does a tile of this level load its part of a local tensor?
  /// require: the tensor is loaded at all.
  [[nodiscard]] bool loads(std::size_t tensor, TileLevel level) const;

 private:
  struct Stays {
    std::size_t tensor = 0;
    std::array<bool, tile_axes> follows{};  ///< by TileAxis
  };
  void find_visits();

  const TileGrid* grid_;
  std::array<std::size_t, tile_axes> order_;
  std::vector<Stays> stays_;
  bool all_are_resident_ = true;  ///< of the stationary tensors: then only the first tile differs
  std::vector<TileVisit> visits_;
  std::vector<std::size_t> visit_of_;  ///< by tile and level
};

}  // namespace tessera::tiling
