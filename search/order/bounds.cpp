#include "search/order/bounds.h"

#include <algorithm>

namespace tessera::search {
namespace {

constexpr Size no_limit = max_address;

}  // namespace

// The network has a node per op, which is on the side of the source if the op ran, and two nodes
// per storage: "an op of `begin` ran" and "every op of `end` ran". The edge between the two is cut
// if the storage is live.
CutBounds::CutBounds(const OpTables& tables) : tables_(tables) {
  const OpGraph& graph = tables.graph;
  const auto ops = static_cast<std::uint32_t>(graph.ops);
  const auto storages = static_cast<std::uint32_t>(graph.storages.size());
  const std::uint32_t source = ops + 2 * storages;
  const std::uint32_t sink = source + 1;
  at_node_.resize(sink + 1);
  for (OpId op = 0; op < ops; ++op) {
    source_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
    add_edge(source, op, 0);
    sink_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
    add_edge(op, sink, 0);
    for (const OpId p : graph.before[op]) add_edge(op, p, no_limit);
  }
  for (std::uint32_t s = 0; s < storages; ++s) {
    const Storage& each = graph.storages[s];
    const std::uint32_t begun = ops + 2 * s;
    const std::uint32_t ended = begun + 1;
    add_edge(begun, ended, each.size);
    begun_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
    add_edge(source, begun, each.from_start ? no_limit : 0);
    for (const OpId op : each.begin) add_edge(op, begun, no_limit);
    if (each.stays)
      add_edge(ended, sink, no_limit);
    else
      for (const OpId op : each.end) add_edge(ended, op, no_limit);
  }
  capacity_.reserve(edges_.size());
  for (const Edge& edge : edges_) capacity_.push_back(edge.left);
}

void CutBounds::add_edge(std::uint32_t from, std::uint32_t to, Size capacity) {
  at_node_[from].push_back(static_cast<std::uint32_t>(edges_.size()));
  edges_.push_back({to, capacity});
  at_node_[to].push_back(static_cast<std::uint32_t>(edges_.size()));
  edges_.push_back({from, 0});
}

Size CutBounds::at(OpId op) {
  const OpGraph& graph = tables_.graph;
  for (std::size_t k = 0; k < edges_.size(); ++k) edges_[k].left = capacity_[k];
  for (const OpId p : graph.before[op]) edges_[source_edge_[p]].left = no_limit;
  edges_[sink_edge_[op]].left = no_limit;
  for (const std::uint32_t s : tables_.begins[op]) edges_[begun_edge_[s]].left = no_limit;
  const Size extra = graph.extra.empty() ? 0 : graph.extra[op];
  const Size saved = saved_in_place(graph, op, [](const InPlace&) { return true; });
  const auto source = static_cast<std::uint32_t>(graph.ops + 2 * graph.storages.size());
  return graph.base + extra - saved + flow(source, source + 1);
}

/// Dinic's algorithm.
Size CutBounds::flow(std::uint32_t source, std::uint32_t sink) {
  Size total = 0;
  while (levels(source, sink)) {
    next_.assign(at_node_.size(), 0);
    while (const Size more = push(source, sink, no_limit)) total += more;
  }
  return total;
}

bool CutBounds::levels(std::uint32_t source, std::uint32_t sink) {
  level_.assign(at_node_.size(), 0);
  queue_.assign(1, source);
  level_[source] = 1;
  for (std::size_t k = 0; k < queue_.size() && level_[sink] == 0; ++k)
    for (const std::uint32_t e : at_node_[queue_[k]]) {
      ++work_;
      if (edges_[e].left == 0 || level_[edges_[e].to] != 0) continue;
      level_[edges_[e].to] = level_[queue_[k]] + 1;
      queue_.push_back(edges_[e].to);
    }
  return level_[sink] != 0;
}

/// An augmenting path in the levels, without recursion deeper than the levels.
Size CutBounds::push(std::uint32_t node, std::uint32_t sink, Size most) {
  if (node == sink) return most;
  for (std::uint32_t& at = next_[node]; at < at_node_[node].size(); ++at) {
    const std::uint32_t e = at_node_[node][at];
    ++work_;
    if (edges_[e].left == 0 || level_[edges_[e].to] != level_[node] + 1) continue;
    const Size more = push(edges_[e].to, sink, std::min(most, edges_[e].left));
    if (more == 0) continue;
    edges_[e].left -= more;
    edges_[e ^ 1U].left += more;
    return more;
  }
  return 0;
}

}  // namespace tessera::search
