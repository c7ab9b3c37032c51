// Tensors of which only the first rows are resident between groups.
//
//   set_kept_rows(part, {kept_rows_of(network, hardware, tensor, 12)});
//   const Box from_there = among_rows(tile.fresh[t], 12);     // the rest comes from off the chip
//
// Rows are counted along the last axis but one: the height of an activation, or the elements of a
// sequence. Tiles have their usual buffers. The DMA copies their share of these rows from and to
// the resident place, so tiles need not know where the rows end.
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

/// The part of a box inside the first rows, and the part behind them.
[[nodiscard]] Box among_rows(Box box, Dim rows);
[[nodiscard]] Box past_rows(Box box, Dim rows);

/// Tensors that may be partly resident: those of may_stay() that are not stored inside the output
/// of a concatenation and have no others inside them. Sorted.
[[nodiscard]] std::vector<TensorIndex> may_stay_in_part(
    const Network& network, const std::vector<std::optional<OpIndex>>& readers);

/// require: 1 <= rows <= rows_in_all() of it
[[nodiscard]] KeptRows kept_rows_of(const Network& network, const Hardware& hardware,
                                    TensorIndex tensor, Dim rows);

/// If the group accesses the tensor in another way than by DMA of tiles: the end of a sentence with
/// the reason; else empty.
[[nodiscard]] std::string refuses_rows(const Subgraph& part, const TileSpace& space,
                                       const Hardware& hardware, const TileVariant& variant,
                                       TensorIndex tensor);

/// require: sorted by tensor; none of them is fully resident.
void set_kept_rows(Subgraph& part, std::vector<KeptRows> kept);

}  // namespace tessera::tiling
