// The least height over all orders of a graph and all placements of their tensors.
//
//   OrderHeight best = least_order_height(graph, peak.order, peak.bound, limits);
//   if (best.height == best.bound) ...                            // proved
//
// The peak of live bytes bounds the height. Bisection between the bound and the best height asks
// for an order with a placement below a height. A depth-first search over orders answers: it runs
// no op above the height, and asks a placement solver about complete orders. An order without a
// placement is refuted by its shortest prefix without one. The buffers of that prefix, reduced to a
// minimal set, become a cut: all orders in which these buffers meet in the same pairs are refuted
// with it.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/graph.h"
#include "tessera/limits.h"
#include "tessera/placement.h"

namespace tessera::placer {

struct OrderHeight {
  std::vector<std::size_t> order;
  Placement placement;  ///< of ordered_problem(graph, order)
  Size height = 0;
  Size bound = 0;
  std::int64_t placements = 0;  ///< queries of the placement solver
  std::int64_t cuts = 0;
};

/// require: check_graph(graph) is empty, `order` is an order of it, no order has a peak below
/// `bound`.
[[nodiscard]] OrderHeight least_order_height(const Graph& graph,
                                             const std::vector<std::size_t>& order, Size bound,
                                             const Limits& limits);

}  // namespace tessera::placer
