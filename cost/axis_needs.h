// What tiles need of the tensors of a run along one axis, from what rows of the tile's own tensor
// do. Private to cost/.
//
//   const std::vector<Rows> needs = row_needs(part, space, 2);          // along H
//   const Dim elements = needed_by_tiles(needs[tensor], 16);            // in tiles of 16 rows
//
// What a tile needs contains what its first and its last row do, whatever ops lie between: each
// reads more where it makes more. Backwards through the run that is known as long as every op says
// what it reads along the axis; of others nothing is said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/network.h"
#include "tiling/box.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::cost {

/// How the elements an op reads along one axis follow from those it makes.
enum class Follows : std::uint8_t { unknown, same, window, transposed, resized, padded, whole };

inline constexpr std::size_t channel_axis = 1;

[[nodiscard]] bool four_axes(const Tensor& tensor);
/// Along H (2) or W (3).
[[nodiscard]] Follows follows(const Network& network, const Op& op,
                              const tiling::LocalOperand& operand, std::size_t axis);

/// Tells visit(op, made, operand, follows) of all that is read along the axis in a known way, from
/// the last op to the first; `made` is the tensor that the op makes.
template <typename Visit>
void each_read(const tiling::Subgraph& part, std::size_t axis, const Visit& visit) {
  for (std::size_t step = part.steps(); step-- > 0;) {
    const Op& op = part.op(static_cast<Step>(step));
    for (const tiling::LocalOperand& operand : part.operands_at[step])
      if (const Follows how = follows(*part.network, op, operand, axis); how != Follows::unknown)
        visit(op, part.made_at[step].front(), operand, how);
  }
}

/// Per row of the anchor, what is needed of a tensor along the axis; empty where nobody knows.
using Rows = std::vector<tiling::Span>;

[[nodiscard]] std::vector<Rows> row_needs(const tiling::Subgraph& part,
                                          const tiling::TileSpace& space, std::size_t axis);
/// Elements along the axis that tiles of `extent` rows need, added up: at least.
[[nodiscard]] Dim needed_by_tiles(const Rows& rows, Dim extent);
/// Per tensor, how many elements along the axis somebody has to make or load, even if all that one
/// tile has is there for the next; 0 where nobody knows. Windows with gaps between them need less
/// of what comes before one by one than together.
[[nodiscard]] std::vector<Dim> needed_once(const tiling::Subgraph& part,
                                           const tiling::TileSpace& space, std::size_t axis);
/// Bytes of a row that tiles of `extent` columns load, added up: at least. Part of a row takes
/// whole bursts.
[[nodiscard]] double loaded_by_tiles(const Rows& columns, Dim extent, Size element, Size row,
                                     Size burst);

/// What the rows of a long axis need at least, without a table: in the middle of the axis, where
/// no window reaches into padding, each row needs as many elements as the one before it, a step
/// further. A tensor that is read in several ways is needed at least as far as one of them reaches.
struct Slide {
  Dim lower = 0, upper = 0;  ///< the rows of which it is said
  Dim step = 0;
  bool gaps = false;     ///< between the windows of some op on the way
  tiling::Span at_zero;  ///< what row 0 would need, were it one of them

  [[nodiscard]] Dim rows() const { return upper - lower; }
  [[nodiscard]] bool known() const { return rows() > 1; }
};

[[nodiscard]] std::vector<Slide> slides(const tiling::Subgraph& part,
                                        const tiling::TileSpace& space, std::size_t axis, Dim rows);
/// Elements that tiles of at most `extent` rows need, added up: at least.
[[nodiscard]] double needed_by_tiles(const Slide& needs, Dim extent);
/// As the other needed_once(); 0 where windows on the way leave gaps.
[[nodiscard]] Dim needed_once(const Slide& needs);

}  // namespace tessera::cost
