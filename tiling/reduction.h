// A product whose sums are computed in parts, which leaves free space for larger output tiles.
//
//   if (const auto cut = split_reduction(part, hardware, 4))         // 4 parts
//     TileGeometry geometry(*cut, HaloPolicy::recompute);
//
// A convolution or matrix product reads all its input channels and weights. Split by input
// channels, it becomes several ops that run one after the other in each tile. Each reads its
// channels and their weights and adds to the previous sums; the last one produces the result. In
// addition to the sums, only one part of the input and of the weights is on-chip at a time (two
// with double buffering). The sums are in the memory of the results and never leave the chip. They
// have the width of the array's accumulators (BlockRule::sum_bytes, rounded to an element type).
#pragma once

#include <optional>

#include "tessera/hardware.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

/// The first product of the group that can be split. An array computes it, and its input channels
/// are one group. Its input is loaded, its weights are constant, and no other op of the group reads
/// either. Nothing if there is none.
[[nodiscard]] std::optional<Step> reducible_step(const Subgraph& part, const Hardware& hardware);

/// The group with that product split into `parts` of equally many input channels; parts are whole
/// bricks, and the last one may be smaller. Nothing if it cannot be split or if parts < 2. The
/// result owns its ops.
/// require: part is not the result of a split.
[[nodiscard]] std::optional<Subgraph> split_reduction(const Subgraph& part,
                                                      const Hardware& hardware, Dim parts);

}  // namespace tessera::tiling
