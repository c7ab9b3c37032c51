// Tile shapes from few tiles to many, in groups that cut each axis into equally many parts.
//
//   ShapeGroups groups(space, 1);
//   while (std::optional<ShapeGroup> group = groups.next()) use(group->least, group->most);
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tiling/geometry.h"

namespace tessera {

/// All shapes with these counts: along axis a the extents least[a] .. most[a].
struct ShapeGroup {
  std::array<Dim, tile_axes> counts{1, 1, 1};
  std::array<Dim, tile_axes> least{1, 1, 1};
  std::array<Dim, tile_axes> most{1, 1, 1};

  [[nodiscard]] std::int64_t tiles() const { return counts[0] * counts[1] * counts[2]; }
  [[nodiscard]] TileShape smallest() const { return {least}; }
};

/// No larger along any axis?
[[nodiscard]] bool inside(const TileShape& small, const TileShape& large);

/// Every shape of the space lies in exactly one group. Order: fewest tiles, then fewest cuts along
/// W, then along C, then along H. Most searches end soon, so groups are made as they are asked for.
class ShapeGroups {
 public:
  /// Groups with fewer tiles than `fewest_tiles` are left out.
  ShapeGroups(const TileSpace& space, std::int64_t fewest_tiles);

  /// Nothing after the last.
  [[nodiscard]] std::optional<ShapeGroup> next();

 private:
  struct Cut {
    Dim count = 1;
    Dim least = 1;
    Dim most = 1;
  };
  /// Groups with the same cuts along H and W, from the next cut along C on.
  struct Row {
    std::size_t c = 0;
    std::size_t h = 0;
    std::size_t w = 0;
  };
  [[nodiscard]] static std::vector<Cut> cuts_of(Dim whole, bool divisible);
  [[nodiscard]] bool later(const Row& a, const Row& b) const;

  std::array<std::vector<Cut>, tile_axes> cuts_;
  std::vector<Row> rows_;  ///< a heap, the first in order at the front
};

}  // namespace tessera
