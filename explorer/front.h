// Which points no other point beats: smaller is better in everything.
//
//   for (const std::size_t k : front(points)) use(points[k]);
//
// Private to explorer/.
#pragma once

#include <cstddef>
#include <vector>

namespace tessera::explorer {

using Point = std::vector<double>;

/// No worse in anything and better in something.
[[nodiscard]] bool dominates(const Point& a, const Point& b);

/// Indices, ascending. Equal points are all on it.
[[nodiscard]] std::vector<std::size_t> front(const std::vector<Point>& points);

}  // namespace tessera::explorer
