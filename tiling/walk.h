// In which order the tiles of a run come, and what each of them has to load.
//
//   const TileWalk walk(grid, lowering);
//   for (const TileVisit& visit : walk.visits()) ...        // distinct tiles, and how often each
//   if (walk.loads(t, visit.level)) ...                     // else it is there from the tile
//   before
//
// The axes are nested loops. What stays in memory is loaded again where the tile moves along an
// axis that it follows: a tile's level says how far it is from the one before it. Resident weights
// are loaded by the first tile alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tiling/geometry.h"
#include "tiling/lower.h"

namespace tessera::tiling {

/// What is different from the tile before: the innermost loop alone, the middle one begins its next
/// round, the outermost one does, or there is no tile before.
enum class TileLevel : std::uint8_t { inner, middle, outer, first };
inline constexpr std::size_t tile_levels = 4;

struct TileVisit {
  std::size_t tile = 0;  ///< of grid.tiles
  TileLevel level = TileLevel::first;
  std::int64_t times = 1;
};

/// Axes (TileAxis), outermost first.
[[nodiscard]] std::array<std::size_t, tile_axes> tile_order(Stationary stationary);

class TileWalk {
 public:
  /// The grid outlives the walk.
  TileWalk(const TileGrid& grid, const Lowering& lowering);

  [[nodiscard]] const std::array<std::size_t, tile_axes>& order() const { return order_; }
  /// Every tile of the grid is one of these. Where nothing stays all are `first`: they load all.
  [[nodiscard]] const std::vector<TileVisit>& visits() const { return visits_; }
  /// Index into visits() of the tile at a position (TileAxis).
  [[nodiscard]] std::size_t at(const std::array<Dim, tile_axes>& position) const {
    const std::size_t tile = grid_->at(position[0], position[1], position[2]);
    return visit_of_[tile * tile_levels + static_cast<std::size_t>(level_at(position))];
  }
  [[nodiscard]] TileLevel level_at(const std::array<Dim, tile_axes>& position) const;
  /// Does a tile of that level load its part of a local tensor, which is loaded at all?
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
  bool all_are_resident_ = true;  ///< of what stays: then the first tile alone is different
  std::vector<TileVisit> visits_;
  std::vector<std::size_t> visit_of_;  ///< by tile and level
};

}  // namespace tessera::tiling
