#include "search/partition/lattice.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace tessera::search {
namespace {

using Over = std::vector<std::vector<std::uint32_t>>;

/// Per cut point, the items that cross it, in order. Cut point k is before op k.
Over over_cuts(std::span<const ResidentItem> items, std::size_t ops) {
  Over over(ops + 1);
  for (std::size_t k = 0; k < items.size(); ++k)
    for (std::size_t cut = items[k].maker + 1; cut <= items[k].reader; ++cut)
      over[cut].push_back(static_cast<std::uint32_t>(k));
  return over;
}

std::size_t end_of(const GroupsOf& groups, std::size_t first) {
  return first + std::min(groups.max_ops, groups.ops - first);
}

/// The number of edges. Stops counting somewhat above `most`.
std::int64_t count_edges(std::span<const ResidentItem> items, const GroupsOf& groups,
                         std::int64_t most) {
  const Over over = over_cuts(items, groups.ops);
  std::int64_t count = 0;
  for (std::size_t first = 0; first < groups.ops; ++first)
    for (std::size_t last = first; last < end_of(groups, first) && count <= most; ++last) {
      const auto made = static_cast<std::size_t>(std::ranges::count_if(
          over[last + 1], [&](std::uint32_t k) { return items[k].maker >= first; }));
      count += std::int64_t{1} << (over[first].size() + made);
    }
  return count;
}

/// The largest items, with at most `at_once` of them over any cut point.
std::vector<std::size_t> largest(std::span<const ResidentItem> items, std::size_t ops,
                                 std::size_t at_once) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return items[k].bytes; });
  std::vector<std::size_t> over(ops + 1, 0);
  std::vector<std::size_t> chosen;
  for (const std::size_t k : order) {
    const std::span cuts =
        std::span(over).subspan(items[k].maker + 1, items[k].reader - items[k].maker);
    if (std::ranges::any_of(cuts, [&](std::size_t n) { return n >= at_once; })) continue;
    for (std::size_t& n : cuts) ++n;
    chosen.push_back(k);
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace

std::vector<std::size_t> distinct_items(std::span<const ResidentItem> items, const GroupsOf& groups,
                                        std::int64_t most) {
  for (std::size_t at_once = most_items; at_once > 0; --at_once) {
    std::vector<std::size_t> chosen = largest(items, groups.ops, at_once);
    std::vector<ResidentItem> some;
    for (const std::size_t k : chosen) some.push_back(items[k]);
    if (count_edges(some, groups, most) <= most) return chosen;
  }
  return {};
}

/// A group while its edges are made.
struct Lattice::Group {
  std::size_t first = 0;
  std::size_t last = 0;
  std::span<const std::uint32_t> before;  ///< items over the first cut point
  std::span<const std::uint32_t> after;   ///< and over the last one
  std::vector<std::size_t> made;          ///< bits of `after` that the group makes
  std::vector<std::pair<std::size_t, std::size_t>> passing;  ///< bits of both
};

Lattice::Lattice(const GroupsOf& groups, std::span<const ResidentItem> items, std::int64_t capacity)
    : ops_(groups.ops) {
  const Over over = over_cuts(items, groups.ops);
  std::uint32_t nodes = 0;
  for (const std::vector<std::uint32_t>& each : over) {
    first_node_.push_back(nodes);
    nodes += std::uint32_t{1} << each.size();
  }
  first_node_.push_back(nodes);
  for (std::size_t first = 0; first < groups.ops; ++first) {
    first_edge_.push_back(edges_.size());
    for (std::size_t last = first; last < end_of(groups, first); ++last)
      add_group(over, items, capacity, first, last);
  }
  first_edge_.push_back(edges_.size());
}

void Lattice::add_group(const Over& over, std::span<const ResidentItem> items,
                        std::int64_t capacity, std::size_t first, std::size_t last) {
  Group group{first, last, over[first], over[last + 1], {}, {}};
  for (std::size_t bit = 0; bit < group.after.size(); ++bit) {
    const std::uint32_t k = group.after[bit];
    if (items[k].maker >= first) {
      group.made.push_back(bit);
    } else {
      const auto before = std::ranges::lower_bound(group.before, k) - group.before.begin();
      group.passing.emplace_back(static_cast<std::size_t>(before), bit);
    }
  }
  for (std::uint32_t before = 0; before < std::uint32_t{1} << group.before.size(); ++before)
    for (std::uint32_t made = 0; made < std::uint32_t{1} << group.made.size(); ++made)
      add_edge(group, items, capacity, before, made);
}

void Lattice::add_edge(const Group& group, std::span<const ResidentItem> items,
                       std::int64_t capacity, std::uint32_t before, std::uint32_t made) {
  LatticeEdge edge{.from = first_node_[group.first] + before,
                   .first = static_cast<std::uint32_t>(group.first),
                   .last = static_cast<std::uint32_t>(group.last),
                   .items_begin = items_.size()};
  std::uint32_t after = 0;
  for (std::size_t bit = 0; bit < group.before.size(); ++bit)
    if ((before >> bit & 1U) != 0) items_.push_back(group.before[bit]);
  for (const auto& [from, to] : group.passing)
    if ((before >> from & 1U) != 0) after |= std::uint32_t{1} << to;
  for (std::size_t k = 0; k < group.made.size(); ++k)
    if ((made >> k & 1U) != 0) {
      after |= std::uint32_t{1} << group.made[k];
      items_.push_back(group.after[group.made[k]]);
    }
  const auto own = std::span(items_).subspan(edge.items_begin);
  for (const std::uint32_t k : own) edge.bytes += items[k].bytes;
  if (edge.bytes > capacity) {
    items_.resize(edge.items_begin);
    return;
  }
  std::ranges::sort(own);
  edge.items = static_cast<std::uint32_t>(own.size());
  edge.to = first_node_[group.last + 1] + after;
  edges_.push_back(edge);
}

std::size_t Lattice::find(std::size_t first, std::size_t last,
                          std::span<const std::uint32_t> items) const {
  const auto begin = edges_.begin() + static_cast<std::ptrdiff_t>(first_edge_[first]);
  const auto end = edges_.begin() + static_cast<std::ptrdiff_t>(first_edge_[first + 1]);
  auto at = std::lower_bound(
      begin, end, last, [](const LatticeEdge& edge, std::size_t op) { return edge.last < op; });
  while (at != end && at->last == last && !std::ranges::equal(this->items(*at), items)) ++at;
  const bool found = at != end && at->last == last;
  return found ? static_cast<std::size_t>(at - edges_.begin()) : edges_.size();
}

std::vector<double> Lattice::through(std::span<const double> costs, std::int64_t capacity) const {
  std::vector<double> before(first_node_.back(), infinity);
  std::vector<double> after(first_node_.back(), infinity);
  before[0] = after[first_node_[ops_]] = 0;
  const auto permitted = [&](std::size_t k) { return edges_[k].bytes <= capacity; };
  for (std::size_t k = 0; k < edges_.size(); ++k)
    if (permitted(k))
      before[edges_[k].to] = std::min(before[edges_[k].to], before[edges_[k].from] + costs[k]);
  for (std::size_t k = edges_.size(); k-- > 0;)
    if (permitted(k))
      after[edges_[k].from] = std::min(after[edges_[k].from], costs[k] + after[edges_[k].to]);
  std::vector<double> through(edges_.size(), infinity);
  for (std::size_t k = 0; k < edges_.size(); ++k)
    if (permitted(k)) through[k] = before[edges_[k].from] + costs[k] + after[edges_[k].to];
  return through;
}

LatticePath Lattice::shortest(std::span<const double> costs, std::int64_t capacity) const {
  struct Reached {
    double cost = infinity;
    std::uint32_t groups = 0;
    std::size_t by = 0;  ///< edge
  };
  std::vector<Reached> nodes(first_node_.back());
  nodes[0].cost = 0;
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const LatticeEdge& edge = edges_[k];
    const Reached& from = nodes[edge.from];
    const double cost = from.cost + costs[k];
    Reached& to = nodes[edge.to];
    if (cost > to.cost || cost == infinity || edge.bytes > capacity) continue;
    if (cost < to.cost || from.groups + 1 < to.groups) to = {cost, from.groups + 1, k};
  }
  LatticePath path{.cost = nodes[first_node_[ops_]].cost};
  if (path.cost == infinity) return path;
  for (std::uint32_t node = first_node_[ops_]; node != 0; node = edges_[path.edges.back()].from)
    path.edges.push_back(nodes[node].by);
  std::ranges::reverse(path.edges);
  return path;
}

}  // namespace tessera::search
