// Cost of a tiling if it could be placed, for shapes that are undecided.
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

/// The machine with the access costs of all on-chip memories reduced to the minimum over them.
[[nodiscard]] Hardware cheapest_on_chip(const Hardware& hardware);

/// Cost of tiles as far as it does not depend on buffer addresses.
[[nodiscard]] KnownCost cost_anywhere(const tiling::Subgraph& part, const tiling::TileGrid& grid,
                                      const tiling::Lowering& lowering, const Hardware& hardware,
                                      cost::ArrayMemo& arrays, Poll& poll);  // throws BudgetEnded

/// Live bytes at the fullest step of the tile that has most.
[[nodiscard]] Size peak_load(const tiling::Lowering& lowering,
                             const std::vector<std::vector<Size>>& demands);

/// ensure: a lower bound of cost and peak of all placements of the piece; `hardware` is
/// cheapest_on_chip() of the machine. Bandwidth is not bounded, since slower groups need less.
[[nodiscard]] Metrics least_metrics(const Piece& piece, const Hardware& hardware,
                                    cost::ArrayMemo& arrays,
                                    Poll& poll);  // throws BudgetEnded

}  // namespace tessera::planner
