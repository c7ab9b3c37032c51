// The least peak of live bytes over all orders of the ops, with a lower bound.
//
//   PeakResult best = least_peak(graph, {.start = file_order});
//   if (best.peak == best.bound) std::cout << "least\n";
//
// The graph is divided at ops that every other op precedes or follows. Each segment is searched
// with growing effort by a beam (beam.h), by windows around the peak of the best order, and exactly
// (exact.h), forwards and backwards. Bounds are minimum cuts (bounds.h) and the level of the exact
// search. Work is always spent on the segment with the highest peak.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "search/order/graph.h"

namespace tessera::search {

struct PeakParams {
  std::vector<OpId> start{};  ///< the incumbent: a topological order; empty: any
  /// Steps between down-sets; the search ends soon after so many.
  std::int64_t work = std::numeric_limits<std::int64_t>::max();
  std::size_t bytes = std::size_t{1} << 30;  ///< of memory, roughly
  std::function<bool()> stop{};              ///< polled; empty: never
};

struct PeakResult {
  std::vector<OpId> order{};
  Size peak = 0;
  Size bound = 0;  ///< no order has a lower peak
  std::int64_t work = 0;
  std::size_t segments = 0;
};

/// require: the graph has no cycle.
[[nodiscard]] PeakResult least_peak(const OpGraph& graph, const PeakParams& params = {});

/// The ops in segments: each op of a segment precedes each op of the next one in every order.
[[nodiscard]] std::vector<std::vector<OpId>> segments_of(const OpGraph& graph);

}  // namespace tessera::search
