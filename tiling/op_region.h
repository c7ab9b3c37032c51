// What one op reads to make a part of its output.
//
//   Box made = widen(net, op, wanted);                   // an op may not be able to make so little
//   Box input = operand_region(net, op, 0, made);        // and this is what it reads for it
//
// The regions are exact: the smallest box around the elements that are read (checked element by
// element in tests/random/geometry_test.cpp).
#pragma once

#include "tessera/network.h"
#include "tiling/box.h"

namespace tessera::tiling {

/// The smallest part of output `output` around `wanted` that the op can make: all of an axis that
/// cannot be tiled (softmax and norms along theirs, everything of an opaque op).
/// require: wanted lies inside the output.
[[nodiscard]] Box widen(const Network& network, const Op& op, const Box& wanted);

/// The part of operand `operand` (position in operands(op)) read to make `made`.
/// require: made == widen(network, op, made), in coordinates of output 0 (for an opaque op: any).
[[nodiscard]] Box operand_region(const Network& network, const Op& op, std::size_t operand,
                                 const Box& made);

/// Rows and columns of zeros a window op adds around `operand_region` of its input 0: before and
/// after, per axis. All zero for an op without windows.
struct Padding {
  std::array<Dim, max_rank> before{};
  std::array<Dim, max_rank> after{};
  friend bool operator==(const Padding&, const Padding&) = default;
};
[[nodiscard]] Padding tile_padding(const Network& network, const Op& op, const Box& made);

/// Both shapes hold the same elements in row-major order. The smallest box of `to` around the
/// elements of `box`; where those do not lie consecutively, around all from the first to the last.
[[nodiscard]] Box reshaped(const std::vector<Dim>& from, const std::vector<Dim>& to,
                           const Box& box);

/// What a reshape can move by itself: where several axes together become others, any range of the
/// first of them, the inner ones whole. So no two axes of a tile ever meet in one range.
[[nodiscard]] Box reshape_unit(const std::vector<Dim>& from, const std::vector<Dim>& to,
                               const Box& box);

}  // namespace tessera::tiling
