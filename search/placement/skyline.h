// Placement of very many buffers: each lies on top of what is placed, O(n log n) altogether.
#pragma once

#include "engine/engine.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::search {

/// Places the buffers tied to memory m, under several orders, lowest kept. False: none keeps the
/// capacity, or the budget was spent first; `placement` is then unchanged.
/// require: every buffer is tied to one memory; greedy_features() has all that the problem uses.
[[nodiscard]] bool place_skyline(const PlacementProblem& problem, MemoryIndex m,
                                 const Budget& budget, Placement& placement, Size& height);

}  // namespace tessera::search
