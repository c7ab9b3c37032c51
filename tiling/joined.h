// Concatenations without a copy: operands are produced inside the output's buffer.
//
//   join_in_place(part, hardware);                       // marks LocalTensor::in_place_of
//   for (const Join& join : joins_of(part, step)) ...    // the operands of a concatenation
//
// Compilers lay out the operands of a concatenation along channels as parts of its output, and the
// op disappears. This module does so within a group. An operand that only the concatenation reads
// has no buffer of its own: its producer writes into the output's buffer. Operands from outside,
// and operands with other readers, are copied; the op computes just these copies.
#pragma once

#include <optional>
#include <vector>

#include "tessera/hardware.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

/// Are the op's operands adjacent channels of its output, unchanged? A concatenation with a fused
/// function computes every element.
[[nodiscard]] bool joins_channels(const Op& op);

/// Are all operands already stored inside the off-chip output (Tensor::joined)?
[[nodiscard]] bool is_in_its_place(const Network& network, const Op& op);

/// Marks tensors of the group that are produced inside another tensor. With bricks, the first
/// channel has to begin a brick there. If engines do not reach all memories, both tensors have to
/// be produced in the same memories. A concatenation that is alone in its group does nothing if all
/// operands are inside its off-chip output and nothing stays on-chip.
void join_in_place(Subgraph& part, const Hardware& hardware);

/// An operand of a concatenation, and the range of its channels in the output.
struct Join {
  std::size_t local = 0;
  Span channels;
  bool in_place = false;
};
/// In the order of the operands.
/// require: joins_channels(part.op(step))
[[nodiscard]] std::vector<Join> joins_of(const Subgraph& part, Step step);

/// The steps that write into a local tensor's buffer: its own producer, if that still copies
/// something, and the producers of tensors inside it. Sorted; empty for a tensor from outside.
[[nodiscard]] std::vector<Step> makers_of(const Subgraph& part, std::size_t local);

/// Parts of the concatenation's output that it still copies in a tile.
[[nodiscard]] std::vector<Box> copied_boxes(const Subgraph& part, const TileRegions& tile,
                                            Step step);

}  // namespace tessera::tiling
