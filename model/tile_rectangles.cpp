#include "model/tile_rectangles.h"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

/// Joins `added` to `last` if together they are a rectangle.
bool join(Rectangle& last, const Rectangle& added) {
  const bool beside = last.top == added.top && last.bottom == added.bottom &&
                      last.left <= added.right && added.left <= last.right;
  const bool below = last.left == added.left && last.right == added.right &&
                     last.top <= added.bottom && added.top <= last.bottom;
  if (!beside && !below) return false;
  last = {std::min(last.top, added.top), std::max(last.bottom, added.bottom),
          std::min(last.left, added.left), std::max(last.right, added.right)};
  return true;
}

/// The length of the union of segments [first, second).
std::int64_t length_of(std::vector<std::pair<std::int64_t, std::int64_t>>& segments) {
  std::ranges::sort(segments);
  std::int64_t length = 0;
  std::int64_t end = 0;
  bool first = true;
  for (const auto& [left, right] : segments) {
    const std::int64_t from = first ? left : std::max(left, end);
    if (right > from) {
      length += right - from;
      end = right;
      first = false;
    }
  }
  return length;
}

}  // namespace

std::int64_t common_area(const Rectangle& a, const Rectangle& b) {
  const Rectangle both{std::max(a.top, b.top), std::min(a.bottom, b.bottom),
                       std::max(a.left, b.left), std::min(a.right, b.right)};
  return both.empty() ? 0 : both.area();
}

std::int64_t union_area(Rectangles rectangles) {
  if (rectangles.empty()) return 0;
  if (rectangles.size() == 1) return rectangles.front().area();
  if (rectangles.size() == 2)
    return rectangles[0].area() + rectangles[1].area() - common_area(rectangles[0], rectangles[1]);
  std::vector<std::int64_t> rows;
  for (const Rectangle& each : rectangles) {
    rows.push_back(each.top);
    rows.push_back(each.bottom);
  }
  std::ranges::sort(rows);
  std::int64_t area = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> segments;
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
    if (rows[k] == rows[k + 1]) continue;
    segments.clear();
    for (const Rectangle& each : rectangles)
      if (each.top <= rows[k] && each.bottom >= rows[k + 1])
        segments.emplace_back(each.left, each.right);
    area += length_of(segments) * (rows[k + 1] - rows[k]);
  }
  return area;
}

std::int64_t new_area(const Rectangles& have, const Rectangles& added) {
  if (have.empty()) return union_area(added);
  if (have.size() == 1 && added.size() == 1)
    return added.front().area() - common_area(have.front(), added.front());
  Rectangles both = have;
  both.insert(both.end(), added.begin(), added.end());
  return union_area(std::move(both)) - union_area(have);
}

void cover(Rectangles& covered, const Rectangle& added) {
  for (const Rectangle& each : covered)
    if (each.top <= added.top && each.bottom >= added.bottom && each.left <= added.left &&
        each.right >= added.right)
      return;
  Rectangle whole = added;
  for (std::size_t k = 0; k < covered.size();) {
    if (!join(covered[k], whole)) {
      ++k;
      continue;
    }
    whole = covered[k];
    covered[k] = covered.back();
    covered.pop_back();
    k = 0;
  }
  covered.push_back(whole);
}

}  // namespace tessera
