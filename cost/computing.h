// Cycles the engines compute for a tile, without any data transfers.
//
//   const Computing one = computing(part, geometry.middle_tile(shape, false), 0, hardware, &memo);
//
// Each op takes its fastest mapping; on-chip bandwidth and on-chip copies are ignored.
#pragma once

#include <vector>

#include "tessera/hardware.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::cost {

class ArrayMemo;

/// Cycles of the leading ops and of the trailing ops (tiling/trailing.h); each set runs
/// sequentially.
struct Computing {
  double leading = 0;
  double trailing = 0;
};

/// Of one tile per group of shapes, by the index of the group (search/tiles/shape_order.h).
struct KnownComputing {
  static constexpr Computing unknown{-1, -1};
  std::vector<Computing> of_group;
};

/// Cycles of the last `trailing` ops, and of the ops before them. require: the hardware can compute
/// all ops; `memo` belongs to it, or is null.
[[nodiscard]] Computing computing(const tiling::Subgraph& part, const tiling::TileRegions& tile,
                                  Step trailing, const Hardware& hardware, ArrayMemo* memo);

}  // namespace tessera::cost
