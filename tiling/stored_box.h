// The place of a part of a tensor in a memory with a layout, as a box of another row-major shape.
//
//   // NHCW16c: 1 x 40 x 8 x 8 is stored as 1 x 8 x 3 x 8 x 16
//   Box lies = stored_box(box, layout);      // in stored_shape(shape, layout)
//
// A partial brick counts as a whole brick.
#pragma once

#include "model/stored.h"
#include "tessera/hardware.h"
#include "tiling/box.h"
#include "tiling/ceil_div.h"

namespace tessera::tiling {

/// require: has_layout(shape).
[[nodiscard]] inline std::vector<Dim> stored_shape(const std::vector<Dim>& shape,
                                                   const Layout& layout) {
  std::vector<Dim> stored;
  stored.reserve(layout.order.size() + 1);
  for (const std::uint8_t axis : layout.order) {
    const Dim extent = axis < shape.size() ? shape[axis] : 1;
    stored.push_back(axis == 1 ? ceil_div(extent, layout.brick) : extent);
  }
  if (layout.brick > 1) stored.push_back(layout.brick);
  return stored;
}

/// require: the box has four axes or two.
[[nodiscard]] inline Box stored_box(const Box& box, const Layout& layout) {
  Box stored;
  for (const std::uint8_t axis : layout.order) {
    Span span = axis < box.rank ? box[axis] : Span{0, 1};
    if (axis == 1) span = {span.begin / layout.brick, ceil_div(span.end, layout.brick)};
    stored[stored.rank++] = span;
  }
  if (layout.brick > 1) stored[stored.rank++] = {0, layout.brick};
  stored.none = box.none;
  return box.none ? nothing(stored.rank) : stored;
}

/// The same for a part that a tile moves: on-chip its channels begin a brick, so tiles of one size
/// move equal amounts.
/// ensure: inside stored_box().
[[nodiscard]] inline Box moved_box(const Box& box, const Layout& layout) {
  if (box.none || layout.brick == 1) return stored_box(box, layout);
  Box begins = box;
  begins[1].begin = box[1].begin / layout.brick * layout.brick;
  begins[1].end = begins[1].begin + box[1].size();
  return stored_box(begins, layout);
}

}  // namespace tessera::tiling
