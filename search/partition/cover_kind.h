// What a search for a cover knows of runs that are alike, and the shortest path over runs. Private
// to search/partition/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/partition/cover.h"
#include "search/partition/run_kinds.h"

namespace tessera::search {

/// The cheapest option under a cap, the lower peak where costs are equal.
[[nodiscard]] inline std::optional<std::size_t> pick(const CoverCandidate& candidate,
                                                     std::int64_t cap) {
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < candidate.options.size(); ++k) {
    const CoverOption& option = candidate.options[k];
    if (option.peak > cap) continue;
    if (!best || option.cost < candidate.options[*best].cost ||
        (option.cost == candidate.options[*best].cost &&
         option.peak < candidate.options[*best].peak))
      best = k;
  }
  return best;
}

/// What is open costs no less than the run's own bound.
[[nodiscard]] inline double open_cost(const CoverCandidate& candidate, const CoverBound& bound) {
  return std::max(candidate.open_cost, bound.cost);
}

[[nodiscard]] inline double option_cost(const CoverCandidate& candidate, std::int64_t cap) {
  const auto best = pick(candidate, cap);
  return best ? candidate.options[*best].cost : std::numeric_limits<double>::infinity();
}

/// Is something open that, as far as is known, may be better than the options?
[[nodiscard]] inline bool hopeful(const CoverCandidate& candidate, const CoverBound& bound,
                                  std::int64_t cap) {
  if (candidate.complete() || candidate.open_peak > cap) return false;
  const auto best = pick(candidate, cap);
  return !best || open_cost(candidate, bound) < candidate.options[*best].cost;
}

/// What a candidate promises under a cap: a cost, and the peak that comes with it.
[[nodiscard]] inline CoverOption promised(const CoverCandidate& candidate, const CoverBound& bound,
                                          bool given_up, std::int64_t cap) {
  if (!given_up && hopeful(candidate, bound, cap))
    return {open_cost(candidate, bound), candidate.open_peak};
  const auto best = pick(candidate, cap);
  return best ? candidate.options[*best] : CoverOption{std::numeric_limits<double>::infinity(), 0};
}

/// Of all runs that are alike.
struct CoverKind {
  CoverBound bound;
  std::unique_ptr<CoverCandidate> candidate;  ///< once evaluated
  int effort = 0;                             ///< of the next evaluation
  bool given_up = false;                      ///< what it left open stays open
};

/// Has the kind something open that, as far as is known, may be better than its options?
/// require: it was evaluated.
[[nodiscard]] inline bool is_hopeful(const CoverKind& kind, std::int64_t cap) {
  return !kind.given_up && hopeful(*kind.candidate, kind.bound, cap);
}

[[nodiscard]] inline CoverOption promised(const CoverKind& kind, std::int64_t cap) {
  if (kind.bound.impossible || kind.bound.peak > cap)
    return {std::numeric_limits<double>::infinity(), kind.bound.peak};
  if (!kind.candidate) return {kind.bound.cost, kind.bound.peak};
  return promised(*kind.candidate, kind.bound, kind.given_up, cap);
}

/// With which effort a path that has the kind would ask about it; nothing: no evaluation would say
/// more.
[[nodiscard]] inline std::optional<int> next_effort(const CoverKind& kind, std::int64_t cap) {
  if (kind.bound.impossible) return std::nullopt;
  if (kind.candidate && (kind.candidate->final || !is_hopeful(kind, cap))) return std::nullopt;
  return kind.effort;
}

struct CoverNode {
  double cost = std::numeric_limits<double>::infinity();
  std::size_t runs = 0;
  std::size_t from = 0;
};

/// Shortest paths over the cut points 0..ops, the fewest runs where costs are equal: costs[kind] is
/// what runs of a kind cost. `nodes` gets ops + 1 of them.
inline void shortest_paths(const RunKinds& kinds, std::size_t ops, const std::vector<double>& costs,
                           std::vector<CoverNode>& nodes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  nodes.assign(ops + 1, CoverNode{});
  nodes[0].cost = 0;
  for (std::size_t first = 0; first < ops; ++first) {
    const CoverNode from = nodes[first];
    if (from.cost == infinity) continue;
    const std::span<const std::uint32_t> row = kinds.from(first);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double cost = from.cost + costs[row[k]];
      CoverNode& node = nodes[first + k + 1];
      if (cost < node.cost || (cost == node.cost && cost < infinity && from.runs + 1 < node.runs))
        node = {cost, from.runs + 1, first};
    }
  }
}

}  // namespace tessera::search
