// Lowers the peak of a tile in a memory with banks.
//
//   search::TileSearchResult found = search::find_tile(geometry, hardware, asked);
//   place_low(found, geometry, hardware, asked);      // the same tile, possibly with a lower peak
//
// The banks in use depend on the modes that were tried first. One small weight may lie in the last
// bank, which makes the whole memory count as the peak. Private to planner/.
#pragma once

#include "search/tiles/tile_search.h"
#include "tessera/hardware.h"
#include "tiling/geometry.h"

namespace tessera::planner {

/// Tries the tile in fewer banks of each memory with modes, by bisection, each step with a small
/// share of the nodes. Without modes or without a lower placement the result is unchanged.
/// require: `found` is the feasible result of `asked`, which names one shape and a solver.
void place_low(search::TileSearchResult& found, tiling::TileGeometry& geometry,
               const Hardware& hardware, const search::TileSearchParams& asked);

}  // namespace tessera::planner
