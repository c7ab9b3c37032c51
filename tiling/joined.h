// Concatenations that move nothing: what goes into one is made in its place.
//
//   join_in_place(part, hardware);                       // marks LocalTensor::in_place_of
//   for (const Join& join : joins_of(part, step)) ...    // the operands of a concatenation
//
// Compilers lay out the operands of a concatenation along channels as parts of what it makes, and
// the op is gone. Here that is done within a run: an operand that the run makes for nobody else has
// no buffer, its maker writes into that of the concatenation. What comes from elsewhere, or is read
// by other ops too, is copied, and the op computes just that.
#pragma once

#include <optional>
#include <vector>

#include "tessera/hardware.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

/// Do the operands of this op lie side by side along the channels of its output, as they are? Where
/// something is fused into a concatenation it computes every element.
[[nodiscard]] bool joins_channels(const Op& op);

/// Does everything that the op joins lie where its result does, off the chip (Tensor::joined)?
[[nodiscard]] bool is_in_its_place(const Network& network, const Op& op);

/// Marks what of the run is made in the place of another tensor. In bricks only where its channels
/// begin a brick there, and where engines do not reach all memories only if both are made in the
/// same. A concatenation that runs alone has nothing to do where all of it is in its place off the
/// chip and nothing of it stays on the chip.
void join_in_place(Subgraph& part, const Hardware& hardware);

/// An operand of a concatenation: where its channels lie in the output.
struct Join {
  std::size_t local = 0;
  Span channels;
  bool in_place = false;
};
/// In order. require: joins_channels(part.op(step))
[[nodiscard]] std::vector<Join> joins_of(const Subgraph& part, Step step);

/// Steps that write into a local tensor's buffer: its own, where that still copies something, and
/// those that make something in its place. Sorted; nothing for what comes from outside.
[[nodiscard]] std::vector<Step> makers_of(const Subgraph& part, std::size_t local);

/// What the concatenation still copies in a tile: boxes of its output.
[[nodiscard]] std::vector<Box> copied_boxes(const Subgraph& part, const TileRegions& tile,
                                            Step step);

}  // namespace tessera::tiling
