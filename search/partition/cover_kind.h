// The state of the partition search per kind of equal groups, and the shortest path over groups.
// Private to search/partition/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/numeric.h"
#include "search/partition/cover.h"
#include "search/partition/run_kinds.h"

namespace tessera::search {

/// The cheapest option under a cap; the lower peak among equal costs.
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

/// A lower bound on the unresolved options: at least the bound of the group itself.
[[nodiscard]] inline double unresolved_cost(const CoverCandidate& candidate,
                                            const CoverBound& bound) {
  return std::max(candidate.unresolved_cost, bound.cost);
}

[[nodiscard]] inline double option_cost(const CoverCandidate& candidate, std::int64_t cap) {
  const auto best = pick(candidate, cap);
  return best ? candidate.options[*best].cost : infinity;
}

/// May an unresolved option be better than the known ones?
[[nodiscard]] inline bool may_improve(const CoverCandidate& candidate, const CoverBound& bound,
                                      std::int64_t cap) {
  if (candidate.complete() || candidate.unresolved_peak > cap) return false;
  const auto best = pick(candidate, cap);
  return !best || unresolved_cost(candidate, bound) < candidate.options[*best].cost;
}

/// The optimistic cost of a candidate under a cap, and its peak.
[[nodiscard]] inline CoverOption promised(const CoverCandidate& candidate, const CoverBound& bound,
                                          bool given_up, std::int64_t cap) {
  if (!given_up && may_improve(candidate, bound, cap))
    return {unresolved_cost(candidate, bound), candidate.unresolved_peak};
  const auto best = pick(candidate, cap);
  return best ? candidate.options[*best] : CoverOption{infinity, 0};
}

/// State of all groups of one kind.
struct CoverKind {
  CoverBound bound;
  std::unique_ptr<CoverCandidate> candidate;  ///< once evaluated
  int effort = 0;                             ///< of the next evaluation
  bool given_up = false;                      ///< the unresolved options stay unresolved
};

/// May an unresolved option be better than the known ones?
/// require: the kind was evaluated.
[[nodiscard]] inline bool may_improve(const CoverKind& kind, std::int64_t cap) {
  return !kind.given_up && may_improve(*kind.candidate, kind.bound, cap);
}

[[nodiscard]] inline CoverOption promised(const CoverKind& kind, std::int64_t cap) {
  if (kind.bound.impossible || kind.bound.peak > cap) return {infinity, kind.bound.peak};
  if (!kind.candidate) return {kind.bound.cost, kind.bound.peak};
  return promised(*kind.candidate, kind.bound, kind.given_up, cap);
}

/// The effort at which a path with this kind would evaluate it; nothing if an evaluation gives no
/// more.
[[nodiscard]] inline std::optional<int> next_effort(const CoverKind& kind, std::int64_t cap) {
  if (kind.bound.impossible) return std::nullopt;
  if (kind.candidate && (kind.candidate->final || !may_improve(kind, cap))) return std::nullopt;
  return kind.effort;
}

struct CoverNode {
  double cost = infinity;
  std::size_t runs = 0;
  std::size_t from = 0;
};

/// Shortest paths over the cut points 0..ops, with the fewest groups among equal costs. costs[kind]
/// is the cost of a kind. `nodes` receives ops + 1 entries.
inline void shortest_paths(const RunKinds& kinds, std::size_t ops, const std::vector<double>& costs,
                           std::vector<CoverNode>& nodes) {
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
