// Tensors of which the first rows stay on the chip from run to run, and the rest does not.
//
//   set_kept_rows(part, {kept_rows_of(network, hardware, tensor, 12)});
//   const Box from_there = among_rows(tile.fresh[t], 12);     // the rest comes from off the chip
//
// Rows are counted along the last axis but one: the height of an activation, or what comes one
// after the other in a sequence. Tiles have buffers of their own as if nothing stayed: what a tile
// has of these rows the DMA copies from their place and to it, so that tiles need not know where
// the rows end.
#pragma once

#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

[[nodiscard]] constexpr std::size_t row_axis(std::size_t rank) {
  return rank < 2 ? 0 : rank - 2;
}
[[nodiscard]] Dim rows_in_all(const Tensor& tensor);

/// What of a box lies among the first rows, and what lies behind them.
[[nodiscard]] Box among_rows(Box box, Dim rows);
[[nodiscard]] Box past_rows(Box box, Dim rows);

/// Those that may stay in part: all that may stay (may_stay()) but what lies off the chip in the
/// place of a concatenation, or has others in its place. Sorted.
[[nodiscard]] std::vector<TensorIndex> may_stay_in_part(
    const Network& network, const std::vector<std::optional<OpIndex>>& readers);

/// require: 1 <= rows <= rows_in_all() of it
[[nodiscard]] KeptRows kept_rows_of(const Network& network, const Hardware& hardware,
                                    TensorIndex tensor, Dim rows);

/// For what of the run moves the tensor in another way than tiles that take their rows by DMA:
/// the end of a sentence that says so; else nothing.
[[nodiscard]] std::string refuses_rows(const Subgraph& part, const TileSpace& space,
                                       const Hardware& hardware, const TileVariant& variant,
                                       TensorIndex tensor);

/// require: in the order of tensors; nothing else of them is kept
void set_kept_rows(Subgraph& part, std::vector<KeptRows> kept);

}  // namespace tessera::tiling
