#include <algorithm>

#include "search/order/least_peak.h"

namespace tessera::search {
namespace {

/// Per op the number of its descendants if it is once the only op that may run, else `none`: then
/// all ops that did not run are its descendants.
std::vector<std::size_t> later_ops(const OpGraph& graph, std::size_t none) {
  std::vector<std::size_t> later(graph.ops, none);
  static_cast<void>(breadth_first(graph, [&](const std::vector<OpId>& order, std::size_t at) {
    if (at + 1 == order.size()) later[order[at]] = graph.ops - order.size();
  }));
  return later;
}

}  // namespace

std::vector<std::vector<OpId>> segments_of(const OpGraph& graph) {
  const std::size_t none = graph.ops;
  const std::vector<std::size_t> later = later_ops(graph, none);
  const std::vector<std::size_t> earlier = later_ops(reversed(graph), none);
  std::vector<OpId> cuts;  // ops that every other op precedes or follows
  for (OpId op = 0; op < graph.ops; ++op)
    if (later[op] != none && earlier[op] != none && later[op] + earlier[op] + 1 == graph.ops)
      cuts.push_back(op);
  std::ranges::sort(cuts, {}, [&](OpId op) { return earlier[op]; });
  // A cut op with `earlier` ancestors is at this position in every order.
  const std::vector<OpId> order = first_order(graph);
  std::vector<std::vector<OpId>> segments;
  std::size_t at = 0;
  const auto until = [&](std::size_t end) {
    if (at < end)
      segments.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(at),
                            order.begin() + static_cast<std::ptrdiff_t>(end));
    at = end;
  };
  for (const OpId op : cuts) {
    until(earlier[op]);
    until(earlier[op] + 1);
  }
  until(order.size());
  return segments;
}

}  // namespace tessera::search
