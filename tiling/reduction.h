// A product whose sums are made in parts, so that a tile has room for more of its output.
//
//   if (const auto cut = split_reduction(part, hardware, 4))         // 4 parts
//     TileGeometry geometry(*cut, HaloPolicy::recompute);
//
// A convolution or a product of matrices reads all input channels of what it makes, and its weights
// of all of them. With its input channels in parts it is as many ops, one after the other within
// each tile: each reads its channels and their weights, adds to the sums of those before it, and
// the last one makes the result. Only one part of the input and of the weights has to be on the
// chip at a time (two where one is loaded while the other is at work), besides the sums. Those lie
// where the results do, are as wide as the array's own (BlockRule::sum_bytes, of what types of
// numbers have), and never leave the chip.
#pragma once

#include <optional>

#include "tessera/hardware.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

/// The first product of the run whose sums may come in parts: an array makes it, its input channels
/// are one group, its input is loaded and its weights are constant, and nobody else in the run
/// reads either. Nothing where there is none.
[[nodiscard]] std::optional<Step> reducible_step(const Subgraph& part, const Hardware& hardware);

/// The run with that product in `parts` of equally many input channels (whole bricks; the last one
/// may have fewer). Nothing where it cannot be, nor of fewer than two parts. What comes back owns
/// the ops that it consists of. require: part is not the result of a split.
[[nodiscard]] std::optional<Subgraph> split_reduction(const Subgraph& part,
                                                      const Hardware& hardware, Dim parts);

}  // namespace tessera::tiling
