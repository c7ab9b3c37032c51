// Elements that tiles of a group need of each tensor along one axis, derived from the needs of
// single rows of the tile's own tensor (the anchor). Private to cost/.
//
//   const std::vector<Rows> needs = row_needs(part, space, 2);          // along H
//   const Dim elements = needed_by_tiles(needs[tensor], 16);            // in tiles of 16 rows
//
// Invariant: the needs of a tile contain the needs of its first and its last row, because every op
// reads more if it makes more. The needs propagate backwards through the group as long as every op
// declares how it reads along the axis. Other tensors have no entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/network.h"
#include "tiling/box.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::cost {

/// How the elements an op reads along one axis depend on the elements it makes.
enum class Follows : std::uint8_t { unknown, same, window, transposed, resized, padded, whole };

inline constexpr std::size_t channel_axis = 1;

[[nodiscard]] bool four_axes(const Tensor& tensor);
/// Along H (2) or W (3).
[[nodiscard]] Follows follows(const Network& network, const Op& op,
                              const tiling::LocalOperand& operand, std::size_t axis);

/// Calls visit(op, made, operand, follows) for every operand with a known dependency along the
/// axis, from the last op to the first. `made` is the output tensor of the op.
template <typename Visit>
void each_read(const tiling::Subgraph& part, std::size_t axis, const Visit& visit) {
  for (std::size_t step = part.steps(); step-- > 0;) {
    const Op& op = part.op(static_cast<Step>(step));
    for (const tiling::LocalOperand& operand : part.operands_at[step])
      if (const Follows how = follows(*part.network, op, operand, axis); how != Follows::unknown)
        visit(op, part.made_at[step].front(), operand, how);
  }
}

/// Elements of a tensor that each row of the anchor needs along the axis; empty if unknown.
using Rows = std::vector<tiling::Span>;

[[nodiscard]] std::vector<Rows> row_needs(const tiling::Subgraph& part,
                                          const tiling::TileSpace& space, std::size_t axis);
/// Lower bound on the elements along the axis that tiles of `extent` rows need, summed over tiles.
[[nodiscard]] Dim needed_by_tiles(const Rows& rows, Dim extent);
/// Per tensor: how many elements along the axis are made or loaded at least once, even if every
/// tile reuses all data of the tile before; 0 if unknown. Windows with gaps need fewer input
/// elements one by one than as a whole.
[[nodiscard]] std::vector<Dim> needed_once(const tiling::Subgraph& part,
                                           const tiling::TileSpace& space, std::size_t axis);
/// Lower bound on the bytes of a row that tiles of `extent` columns load, summed over tiles. A part
/// of a row takes whole bursts.
[[nodiscard]] double loaded_by_tiles(const Rows& columns, Dim extent, Size element, Size row,
                                     Size burst);

/// Needs of the rows of a long axis without a table. In the middle of the axis no window reaches
/// into padding, so each row needs as many elements as the row before, one step further. A tensor
/// with several readers gets the need of one of them, which is a lower bound.
struct Slide {
  Dim lower = 0, upper = 0;  ///< the rows it describes
  Dim step = 0;
  bool gaps = false;     ///< some op on the path has gaps between its windows
  tiling::Span at_zero;  ///< the need of row 0, extrapolated

  [[nodiscard]] Dim rows() const { return upper - lower; }
  [[nodiscard]] bool known() const { return rows() > 1; }
};

[[nodiscard]] std::vector<Slide> slides(const tiling::Subgraph& part,
                                        const tiling::TileSpace& space, std::size_t axis, Dim rows);
/// Lower bound on the elements that tiles of at most `extent` rows need, summed over tiles.
[[nodiscard]] double needed_by_tiles(const Slide& needs, Dim extent);
/// As needed_once() above; 0 if windows on the path leave gaps.
[[nodiscard]] Dim needed_once(const Slide& needs);

}  // namespace tessera::cost
