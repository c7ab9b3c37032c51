// Areas of unions of rectangles, for the literal simulation of a step (tile_step.h).
//
//   std::int64_t area = union_area({{0, 4, 0, 4}, {2, 6, 0, 4}});  // 24
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// Rows [top, bottom) and columns [left, right) of a tensor.
struct Rectangle {
  std::int64_t top = 0;
  std::int64_t bottom = 0;
  std::int64_t left = 0;
  std::int64_t right = 0;
  [[nodiscard]] bool empty() const { return top >= bottom || left >= right; }
  [[nodiscard]] std::int64_t height() const { return bottom - top; }
  [[nodiscard]] std::int64_t width() const { return right - left; }
  [[nodiscard]] std::int64_t area() const { return height() * width(); }
  friend auto operator<=>(const Rectangle&, const Rectangle&) = default;
};

using Rectangles = std::vector<Rectangle>;

[[nodiscard]] std::int64_t common_area(const Rectangle& a, const Rectangle& b);
[[nodiscard]] std::int64_t union_area(Rectangles rectangles);
/// The area of `added` outside of `have`.
[[nodiscard]] std::int64_t new_area(const Rectangles& have, const Rectangles& added);
/// Adds a rectangle to a list whose union alone counts, and joins rectangles to keep it short.
void cover(Rectangles& covered, const Rectangle& added);

}  // namespace tessera
