// Placement of very many buffers, each on top of the placed ones, in O(n log n).
#pragma once

#include "engine/engine.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::search {

/// Places the buffers of memory m in several orders and keeps the lowest. False: no order is within
/// the capacity, or the budget was spent first; `placement` is then unchanged.
/// require: every buffer is restricted to one memory; greedy_features() contains all features of
/// the problem.
[[nodiscard]] bool place_skyline(const PlacementProblem& problem, MemoryIndex m,
                                 const Budget& budget, Placement& placement, Size& height);

}  // namespace tessera::search
