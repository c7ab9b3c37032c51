// What a tiling would cost if it could be placed: for shapes nobody has decided yet.
// Private to planner/.
//
//   const Hardware cheap = cheapest_on_chip(hardware);
//   const Piece piece = make_piece(part, space, geometry.grid(shape), lowering);
//   Metrics least = least_metrics(piece, cheap, arrays, poll);
#pragma once

#include "cost/array_memo.h"
#include "planner/piece.h"
#include "planner/plan_memory.h"
#include "tessera/hardware.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// The same machine with every on-chip memory as cheap to access as the cheapest.
[[nodiscard]] Hardware cheapest_on_chip(const Hardware& hardware);

/// What tiles cost wherever their buffers lie, as far as that does not matter.
[[nodiscard]] KnownCost cost_anywhere(const tiling::Subgraph& part, const tiling::TileGrid& grid,
                                      const tiling::Lowering& lowering, const Hardware& hardware,
                                      cost::ArrayMemo& arrays, Poll& poll);  // throws BudgetEnded

/// Bytes alive at the fullest step, of the tile that has most.
[[nodiscard]] Size peak_load(const tiling::Lowering& lowering,
                             const std::vector<std::vector<Size>>& demands);

/// ensure: no placement of the piece costs less or peaks lower; `hardware` is cheapest_on_chip of
/// the machine. Of the bandwidth nothing is said: slower runs need less.
[[nodiscard]] Metrics least_metrics(const Piece& piece, const Hardware& hardware,
                                    cost::ArrayMemo& arrays,
                                    Poll& poll);  // throws BudgetEnded

}  // namespace tessera::planner
