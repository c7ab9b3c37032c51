// Boxes: parts of tensors with one half-open range per axis, in the tensor's coordinates.
//
//   Box rows = whole({1, 64, 56, 56});
//   rows[2] = {10, 20};
//   volume(rows) == 64 * 10 * 56;
//
// Small values without allocation. A box with an empty range has no elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/stored.h"
#include "tessera/network.h"
#include "tessera/network_shapes.h"

namespace tessera::tiling {

struct Span {
  Dim begin = 0;
  Dim end = 0;
  friend constexpr bool operator==(const Span&, const Span&) = default;
  [[nodiscard]] constexpr Dim size() const { return end > begin ? end - begin : 0; }
  [[nodiscard]] constexpr bool empty() const { return end <= begin; }
  [[nodiscard]] constexpr bool contains(const Span& inner) const {
    return inner.empty() || (begin <= inner.begin && inner.end <= end);
  }
};

[[nodiscard]] constexpr Span intersect(const Span& a, const Span& b) {
  const Span both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return both.empty() ? Span{} : both;
}
[[nodiscard]] constexpr Span hull(const Span& a, const Span& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

struct Box {
  std::array<Span, max_rank> axes{};
  std::size_t rank = 0;
  bool none = true;  ///< no elements; a scalar has rank 0 and is not `none`

  [[nodiscard]] Span& operator[](std::size_t axis) { return axes[axis]; }
  [[nodiscard]] const Span& operator[](std::size_t axis) const { return axes[axis]; }
  friend bool operator==(const Box&, const Box&) = default;
};

/// The whole tensor.
[[nodiscard]] inline Box whole(const std::vector<Dim>& shape) {
  Box box;
  box.rank = shape.size();
  box.none = false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) box[axis] = {0, shape[axis]};
  return box;
}

/// The empty box of a rank. All empty boxes of one rank are equal.
[[nodiscard]] inline Box nothing(std::size_t rank) {
  Box box;
  box.rank = rank;
  return box;
}

/// The box itself, or nothing() if one of its ranges is empty.
[[nodiscard]] inline Box tidy(const Box& box) {
  if (box.none) return nothing(box.rank);
  for (std::size_t axis = 0; axis < box.rank; ++axis)
    if (box[axis].empty()) return nothing(box.rank);
  return box;
}

[[nodiscard]] inline std::int64_t volume(const Box& box) {
  if (box.none) return 0;
  std::int64_t product = 1;
  for (std::size_t axis = 0; axis < box.rank; ++axis) product *= box[axis].size();
  return product;
}

/// Elements, with axis 1 padded to whole bricks of channels.
[[nodiscard]] inline std::int64_t volume(const Box& box, Dim brick) {
  const std::int64_t elements = volume(box);
  if (brick == 1 || elements == 0) return elements;
  return elements / box[1].size() * in_bricks(box[1].size(), brick);
}

/// The smallest box around both.
/// require: equal ranks.
[[nodiscard]] inline Box hull(const Box& a, const Box& b) {
  if (a.none) return b;
  if (b.none) return a;
  Box both = a;
  for (std::size_t axis = 0; axis < a.rank; ++axis) both[axis] = hull(a[axis], b[axis]);
  return both;
}

/// require: equal ranks.
[[nodiscard]] inline Box intersect(const Box& a, const Box& b) {
  if (a.none || b.none) return nothing(a.rank);
  Box both = a;
  for (std::size_t axis = 0; axis < a.rank; ++axis) both[axis] = intersect(a[axis], b[axis]);
  return tidy(both);
}

/// Does `outer` contain every element of `inner`?
[[nodiscard]] inline bool contains(const Box& outer, const Box& inner) {
  if (inner.none) return true;
  if (outer.none) return false;
  for (std::size_t axis = 0; axis < inner.rank; ++axis)
    if (!outer[axis].contains(inner[axis])) return false;
  return true;
}

/// The part of a larger tensor that a tensor is: a range along one axis.
struct TensorSlice {
  TensorIndex whole = 0;  ///< in the same network
  std::size_t axis = 0;
  Dim begin = 0;
};
/// A part of the slice in the coordinates of the whole tensor.
[[nodiscard]] inline Box in_whole(const TensorSlice& slice, Box part) {
  if (part.none) return part;
  part[slice.axis].begin += slice.begin;
  part[slice.axis].end += slice.begin;
  return part;
}
/// The same for a tensor stored as channels of another one.
[[nodiscard]] inline Box in_whole(const JoinedPlace& place, const Box& part) {
  return in_whole(TensorSlice{.whole = place.whole, .axis = 1, .begin = place.begin}, part);
}

}  // namespace tessera::tiling
