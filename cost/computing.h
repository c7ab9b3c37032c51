// How long the engines work on a tile, whatever is moved meanwhile.
//
//   const Computing one = computing(part, geometry.middle_tile(shape, false), 0, hardware, &memo);
//
// Each op in the quickest way by itself: neither memories on the chip nor copies there are asked.
#pragma once

#include <vector>

#include "tessera/hardware.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::cost {

class ArrayMemo;

/// Cycles of ops that work one after the other, and of those beside them.
struct Computing {
  double leading = 0;
  double trailing = 0;
};

/// Of one tile of each group of shapes, by the group's index (search/tiles/shape_order.h).
struct KnownComputing {
  static constexpr Computing unknown{-1, -1};
  std::vector<Computing> of_group;
};

/// Of the last `trailing` ops, and of those before them. require: the hardware can compute all;
/// `memo` is of it, or null.
[[nodiscard]] Computing computing(const tiling::Subgraph& part, const tiling::TileRegions& tile,
                                  Step trailing, const Hardware& hardware, ArrayMemo* memo);

}  // namespace tessera::cost
