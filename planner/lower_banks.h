// Where a tile lies in banks, as low as its banks allow.
//
//   search::TileSearchResult found = search::find_tile(geometry, hardware, asked);
//   place_low(found, geometry, hardware, asked);      // the same tile, with a lower peak perhaps
//
// Which banks hold what follows from the modes that were tried first, so one small weight may lie
// in the last bank of all and make the whole memory count. Private to planner/.
#pragma once

#include "search/tiles/tile_search.h"
#include "tessera/hardware.h"
#include "tiling/geometry.h"

namespace tessera::planner {

/// Tries the tile in fewer banks of each memory that has modes: by halves, each with a small share
/// of the nodes. Nothing changes where there are no modes, or nothing lower is found.
/// require: found is what came of `asked`, which is about one shape, with an engine, and feasible
void place_low(search::TileSearchResult& found, tiling::TileGeometry& geometry,
               const Hardware& hardware, const search::TileSearchParams& asked);

}  // namespace tessera::planner
