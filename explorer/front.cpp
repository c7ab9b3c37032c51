#include "explorer/front.h"

#include <algorithm>
#include <numeric>

namespace tessera::explorer {

bool dominates(const Point& a, const Point& b) {
  bool better = false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] > b[k]) return false;
    better = better || a[k] < b[k];
  }
  return better;
}

std::vector<std::size_t> front(const std::vector<Point>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // In this order, a dominated point is dominated by an earlier one, and thus by one of the front.
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
  std::vector<std::size_t> kept;
  for (const std::size_t k : order)
    if (std::ranges::none_of(
            kept, [&](std::size_t other) { return dominates(points[other], points[k]); }))
      kept.push_back(k);
  std::ranges::sort(kept);
  return kept;
}

}  // namespace tessera::explorer
