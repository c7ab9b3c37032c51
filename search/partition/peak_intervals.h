// Intervals of peaks that may contain a better partition, and the order of their exploration.
//
//   std::vector<PeakInterval> intervals{PeakInterval{}};
//   const PeakPrice price{.weight = 0.1, .floor = 4096};
//   while (!intervals.empty()) {
//     const PeakInterval now = take_next(intervals);           // the least bound
//     // ... the shortest path with peaks up to now.hi costs 7 and peaks at 8192
//     add_lower(now, 7, 8192, best, price, intervals);         // the unexplored part
//   }
//
// If a shortest path under the cap `hi` costs C, partitions that peak above `lo` cost at least C +
// weight * lo. Private to search/partition/.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace tessera::search {

/// Partitions whose peak is above `lo` and at most `hi`.
struct PeakInterval {
  std::int64_t lo = -1;
  std::int64_t hi = std::numeric_limits<std::int64_t>::max();
  double bound = 0;  ///< a lower bound on their cost
};

struct PeakPrice {
  double weight = 0;
  std::int64_t floor = 0;  ///< no partition has a lower peak

  [[nodiscard]] double with(double cost, std::int64_t peak) const {
    return cost + weight * static_cast<double>(peak);
  }
};

/// Removes and returns the interval with the least bound; among equals the one with the highest
/// peaks.
/// require: not empty.
[[nodiscard]] PeakInterval take_next(std::vector<PeakInterval>& intervals);

/// Call after a shortest path under `of.hi` with this cost and peak: adds the rest of the interval
/// that may contain partitions cheaper than `best`, which includes that path.
void add_lower(PeakInterval of, double cost, std::int64_t peak, double best, PeakPrice price,
               std::vector<PeakInterval>& intervals);

}  // namespace tessera::search
