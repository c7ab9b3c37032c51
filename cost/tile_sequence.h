// The tiles of a group in pipeline order.
//
//   set_sequence(walk, grid, pipeline);      // pipeline.before, sequence, repeat, after
//
// Equal tiles of the innermost loop are merged, as is the longest stretch of equal rounds of the
// middle or outermost loop. The pipeline simulation can then skip them.
#pragma once

#include "cost/pipeline.h"
#include "tiling/walk.h"

namespace tessera::cost {

/// Tile classes are indices into walk.visits().
void set_sequence(const tiling::TileWalk& walk, const tiling::TileGrid& grid, Pipeline& pipeline);

}  // namespace tessera::cost
