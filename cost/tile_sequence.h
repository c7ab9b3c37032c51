// The tiles of a run in their order, as the pipeline takes them.
//
//   set_sequence(walk, grid, pipeline);      // pipeline.before, sequence, repeat, after
//
// Tiles of the innermost loop that are alike stand together; so do the longest stretch of equal
// rounds of the middle loop, or of the outermost one, so that the pipeline may skip ahead.
#pragma once

#include "cost/pipeline.h"
#include "tiling/walk.h"

namespace tessera::cost {

/// Classes of tiles are those of walk.visits().
void set_sequence(const tiling::TileWalk& walk, const tiling::TileGrid& grid, Pipeline& pipeline);

}  // namespace tessera::cost
