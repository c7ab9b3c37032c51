// Pareto front: the points that no other point dominates. Smaller is better in every coordinate.
//
//   for (const std::size_t k : front(points)) use(points[k]);
//
// Private to explorer/.
#pragma once

#include <cstddef>
#include <vector>

namespace tessera::explorer {

using Point = std::vector<double>;

/// No larger in every coordinate and smaller in one.
[[nodiscard]] bool dominates(const Point& a, const Point& b);

/// Indices, ascending. Equal points are all included.
[[nodiscard]] std::vector<std::size_t> front(const std::vector<Point>& points);

}  // namespace tessera::explorer
