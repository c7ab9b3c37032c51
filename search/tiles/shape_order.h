// Tile shapes from few tiles to many, in groups that cut each axis into equally many parts.
//
//   for (const ShapeGroup& group : shape_groups(space))
//     for_each_shape(group, [&](const TileShape& shape) { ... return keep_going; });
#pragma once

#include <array>
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
/// W, then along C, then along H.
[[nodiscard]] std::vector<ShapeGroup> shape_groups(const TileSpace& space);

/// From even cuts (smallest extents) to uneven ones; stops when `visit` returns false.
template <typename Visit>
bool for_each_shape(const ShapeGroup& group, const Visit& visit) {
  for (Dim w = group.least[2]; w <= group.most[2]; ++w)
    for (Dim c = group.least[0]; c <= group.most[0]; ++c)
      for (Dim h = group.least[1]; h <= group.most[1]; ++h)
        if (!visit(TileShape{{c, h, w}})) return false;
  return true;
}

}  // namespace tessera
