// A graph with names as the graph that the search works on.
//
//   OpGraph graph = op_graph(named);                 // op k of it is named.ops[k]
#pragma once

#include "search/order/graph.h"
#include "tessera/graph.h"

namespace tessera::search {

/// require: check_graph(graph) is empty, fewer than 2^32 ops.
[[nodiscard]] OpGraph op_graph(const Graph& graph);

}  // namespace tessera::search
