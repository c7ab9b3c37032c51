#include "search/placement/boxing/colouring.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tessera::search::boxing {

Row Colouring::colour(std::span<const Interval> intervals, std::vector<Row>& row_of) {
  order_.resize(intervals.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
    const Interval& x = intervals[static_cast<std::size_t>(a)];
    const Interval& y = intervals[static_cast<std::size_t>(b)];
    return x.lower != y.lower ? x.lower < y.lower : a < b;
  });
  row_of.assign(intervals.size(), 0);
  busy_.clear();
  free_.clear();
  Row rows = 0;
  for (const std::int32_t k : order_) {
    const Interval& interval = intervals[static_cast<std::size_t>(k)];
    while (!busy_.empty() && busy_.front().first <= interval.lower) {
      std::pop_heap(busy_.begin(), busy_.end(), std::greater<>());
      free_.push_back(busy_.back().second);
      std::push_heap(free_.begin(), free_.end(), std::greater<>());
      busy_.pop_back();
    }
    Row row = rows;
    if (free_.empty()) {
      ++rows;
    } else {
      std::pop_heap(free_.begin(), free_.end(), std::greater<>());
      row = free_.back();
      free_.pop_back();
    }
    row_of[static_cast<std::size_t>(k)] = row;
    busy_.emplace_back(interval.upper, row);
    std::push_heap(busy_.begin(), busy_.end(), std::greater<>());
  }
  return rows;
}

}  // namespace tessera::search::boxing
