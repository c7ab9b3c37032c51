// The parts of its operands that an op reads to produce a part of its output.
//
//   Box made = widen(net, op, wanted);                   // the smallest part that the op can
//   produce Box input = operand_region(net, op, 0, made);        // what it reads for that
//
// The regions are exact: the smallest box around the elements that are read.
// tests/random/geometry_test.cpp checks them element by element.
#pragma once

#include "tessera/network.h"
#include "tiling/box.h"

namespace tessera::tiling {

/// The smallest producible part of the output around `wanted`. It contains all of an axis that
/// cannot be tiled (softmax and norms along their axes, everything for an opaque op).
/// require: wanted is inside the output.
[[nodiscard]] Box widen(const Network& network, const Op& op, const Box& wanted);

/// The part of operand `operand` (position in operands(op)) that is read to produce `made`.
/// require: made == widen(network, op, made), in coordinates of output 0 (opaque op: any).
[[nodiscard]] Box operand_region(const Network& network, const Op& op, std::size_t operand,
                                 const Box& made);

/// Rows and columns of zeros that a window op adds around operand_region() of input 0, per axis.
/// All zero for an op without windows.
struct Padding {
  std::array<Dim, max_rank> before{};
  std::array<Dim, max_rank> after{};
  friend bool operator==(const Padding&, const Padding&) = default;
};
[[nodiscard]] Padding tile_padding(const Network& network, const Op& op, const Box& made);

/// The smallest box of `to` around the elements of `box` of `from`. Both shapes hold the same
/// elements in row-major order. If the elements are not consecutive, the box contains all from the
/// first to the last.
[[nodiscard]] Box reshaped(const std::vector<Dim>& from, const std::vector<Dim>& to,
                           const Box& box);

/// The granularity of a reshape: if several axes become others, any range of the first of them with
/// the inner ones whole. Therefore two tile axes never affect one range.
[[nodiscard]] Box reshape_unit(const std::vector<Dim>& from, const std::vector<Dim>& to,
                               const Box& box);

}  // namespace tessera::tiling
