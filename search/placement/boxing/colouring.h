// Interval colouring: assigns intervals to rows without overlap, in as few rows as intervals at one
// moment.
//
//   Colouring colouring;
//   Row rows = colouring.colour(items, row_of);        // row_of[k] is the row of items[k]
//
// The greedy sweep in order of birth that reuses the lowest free row is optimal for intervals. For
// jobs of one size it gives an optimal placement.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

using Row = std::int32_t;

struct Interval {
  Section lower = 0;
  Section upper = 0;
};

/// Keeps its buffers between calls.
class Colouring {
 public:
  /// Returns the number of rows.
  /// require: no interval is empty.
  Row colour(std::span<const Interval> intervals, std::vector<Row>& row_of);

 private:
  std::vector<std::int32_t> order_;
  std::vector<std::pair<Section, Row>> busy_;  ///< a heap: the earliest end first
  std::vector<Row> free_;                      ///< a heap: the lowest row first
};

}  // namespace tessera::search::boxing
