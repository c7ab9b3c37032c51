// The intervals of peaks in which there may be a better cover, and how a search goes through them.
//
//   std::vector<PeakInterval> intervals{PeakInterval{}};
//   const PeakPrice price{.weight = 0.1, .floor = 4096};
//   while (!intervals.empty()) {
//     const PeakInterval now = take_next(intervals);           // the least bound
//     // ... the shortest path with peaks up to now.hi costs 7 and peaks at 8192
//     add_lower(now, 7, 8192, best, price, intervals);         // what is left of it
//   }
//
// Under the cap `hi` a shortest path costs C, so covers that peak above `lo` cost at least
// C + weight * lo. Private to search/partition/.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace tessera::search {

/// Covers whose peak lies above `lo` and at most at `hi`.
struct PeakInterval {
  std::int64_t lo = -1;
  std::int64_t hi = std::numeric_limits<std::int64_t>::max();
  double bound = 0;  ///< none of them costs less
};

struct PeakPrice {
  double weight = 0;
  std::int64_t floor = 0;  ///< no cover's peak is lower

  [[nodiscard]] double with(double cost, std::int64_t peak) const {
    return cost + weight * static_cast<double>(peak);
  }
};

/// The one with the least bound, of equals the one with the highest peaks.
/// require: there is one.
[[nodiscard]] PeakInterval take_next(std::vector<PeakInterval>& intervals);

/// After a shortest path under `of.hi` that costs `cost` and peaks at `peak`: adds what is left of
/// the interval for covers that cost less than `best`, which that path is one of.
void add_lower(PeakInterval of, double cost, std::int64_t peak, double best, PeakPrice price,
               std::vector<PeakInterval>& intervals);

}  // namespace tessera::search
