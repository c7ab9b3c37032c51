#include "search/partition/cover.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace tessera {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t no_cap = std::numeric_limits<std::int64_t>::max();

struct Edge {
  CoverBound bound;
  std::optional<CoverCandidate> candidate;  ///< once evaluated
};

/// The cheapest option under a cap, the lower peak where costs are equal.
std::optional<std::size_t> pick(const CoverCandidate& candidate, std::int64_t cap) {
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

class Search {
 public:
  Search(const CoverProblem& problem, const CoverParams& params) : p_(problem), params_(params) {
    longest_ = std::min(p_.max_ops, p_.ops);
    edges_.resize(p_.ops * longest_);
    for (std::size_t first = 0; first < p_.ops; ++first)
      for (std::size_t last = first; last < std::min(p_.ops, first + longest_); ++last) {
        Edge& edge = at(first, last);
        if (p_.bound) edge.bound = p_.bound(first, last);
        ++result_.candidates;
        if (edge.bound.impossible) ++result_.excluded_by_bound;
      }
  }

  CoverResult run() {
    // Single ops first: they are the baseline, and a cover exists from then on if there is any.
    std::vector<std::pair<std::size_t, std::size_t>> singles;
    for (std::size_t op = 0; op < p_.ops; ++op)
      if (!at(op, op).bound.impossible) singles.emplace_back(op, op);
    std::optional<StopReason> stopped = evaluate(singles);
    remember_best(no_cap);

    std::int64_t cap = no_cap;
    while (!stopped) {
      const std::vector<CoverRun> path = shortest(cap, /*known_only=*/false);
      ++result_.rounds;
      if (path.empty()) break;  // nothing under this cap
      std::vector<std::pair<std::size_t, std::size_t>> unknown;
      double optimistic = 0;
      std::int64_t peak = 0;
      for (const CoverRun& r : path) {
        const Edge& edge = at(r.first, r.last);
        if (!edge.candidate) unknown.emplace_back(r.first, r.last);
        optimistic += edge_cost(edge, cap);
        peak = std::max(peak, edge_peak(edge, cap));
      }
      // Costs only rise as the cap falls, so from here on nothing can be better than this.
      const double reachable = optimistic + p_.peak_weight * static_cast<double>(peak_floor());
      if (unknown.empty()) {
        consider(path, cap);
        if (p_.peak_weight <= 0 || peak == 0) break;
        cap = peak - 1;
      } else if (reachable >= result_.objective) {
        break;
      } else {
        stopped = evaluate(unknown);
      }
      if (params_.progress)
        params_.progress(result_.objective, std::min(reachable, result_.objective),
                         result_.evaluated);
    }
    finish(stopped, cap);
    return std::move(result_);
  }

 private:
  Edge& at(std::size_t first, std::size_t last) { return edges_[first * longest_ + last - first]; }

  double edge_cost(const Edge& edge, std::int64_t cap) const {
    if (edge.bound.impossible || edge.bound.peak > cap) return infinity;
    if (!edge.candidate) return edge.bound.cost;
    const auto best = pick(*edge.candidate, cap);
    return best ? edge.candidate->options[*best].cost : infinity;
  }
  std::int64_t edge_peak(const Edge& edge, std::int64_t cap) const {
    if (!edge.candidate) return edge.bound.peak;
    const auto best = pick(*edge.candidate, cap);
    return best ? edge.candidate->options[*best].peak : 0;
  }

  /// A bound on the largest peak of any cover: every op lies in some run.
  std::int64_t peak_floor() {
    if (floor_evaluated_ == result_.evaluated) return floor_;
    std::vector<std::int64_t> least(p_.ops, no_cap);
    for (std::size_t first = 0; first < p_.ops; ++first)
      for (std::size_t last = first; last < std::min(p_.ops, first + longest_); ++last) {
        const Edge& edge = at(first, last);
        if (edge.bound.impossible) continue;
        std::int64_t peak = edge.bound.peak;
        if (edge.candidate) {
          if (edge.candidate->options.empty()) continue;
          peak = no_cap;
          for (const CoverOption& option : edge.candidate->options)
            peak = std::min(peak, option.peak);
        }
        for (std::size_t op = first; op <= last; ++op) least[op] = std::min(least[op], peak);
      }
    floor_ = 0;
    for (const std::int64_t peak : least)
      if (peak != no_cap) floor_ = std::max(floor_, peak);
    floor_evaluated_ = result_.evaluated;
    return floor_;
  }

  /// Shortest path over the cut points 0..ops; the fewest runs where costs are equal.
  std::vector<CoverRun> shortest(std::int64_t cap, bool known_only) {
    struct Node {
      double cost = infinity;
      std::size_t runs = 0;
      std::size_t from = 0;
    };
    std::vector<Node> node(p_.ops + 1);
    node[0].cost = 0;
    for (std::size_t end = 1; end <= p_.ops; ++end)
      for (std::size_t first = end > longest_ ? end - longest_ : 0; first < end; ++first) {
        const Edge& edge = at(first, end - 1);
        if (node[first].cost == infinity || (known_only && !edge.candidate)) continue;
        const double cost = node[first].cost + edge_cost(edge, cap);
        const std::size_t runs = node[first].runs + 1;
        if (cost < node[end].cost ||
            (cost == node[end].cost && cost < infinity && runs < node[end].runs))
          node[end] = {cost, runs, first};
      }
    std::vector<CoverRun> path;
    if (node[p_.ops].cost == infinity) return path;
    for (std::size_t end = p_.ops; end > 0; end = node[end].from) {
      const Edge& edge = at(node[end].from, end - 1);
      const auto option = edge.candidate ? pick(*edge.candidate, cap) : std::nullopt;
      path.push_back({node[end].from, end - 1, option.value_or(0)});
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  void consider(const std::vector<CoverRun>& path, std::int64_t cap) {
    double cost = 0;
    std::int64_t peak = 0;
    for (const CoverRun& r : path) {
      const Edge& edge = at(r.first, r.last);
      cost += edge_cost(edge, cap);
      peak = std::max(peak, edge_peak(edge, cap));
    }
    const double objective = cost + p_.peak_weight * static_cast<double>(peak);
    if (objective < result_.objective) {
      result_.objective = objective;
      result_.runs = path;
      result_.status = Status::feasible;
    }
  }

  void remember_best(std::int64_t cap) {
    const std::vector<CoverRun> path = shortest(cap, /*known_only=*/true);
    if (!path.empty()) consider(path, cap);
  }

  std::optional<StopReason> exhausted() const {
    if (params_.stop.stop_requested()) return StopReason::interrupted;
    if (params_.deadline != std::chrono::steady_clock::time_point::max() &&
        std::chrono::steady_clock::now() >= params_.deadline)
      return StopReason::time_limit;
    return std::nullopt;
  }

  std::optional<StopReason> evaluate(const std::vector<std::pair<std::size_t, std::size_t>>& list) {
    std::vector<std::optional<CoverCandidate>> answers(list.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t k = next++; k < list.size() && !exhausted(); k = next++)
        answers[k] = p_.evaluate(list[k].first, list[k].second);
    };
    {
      std::vector<std::jthread> helpers;
      for (int t = 1; t < params_.threads && static_cast<std::size_t>(t) < list.size(); ++t)
        helpers.emplace_back(work);
      work();
    }
    for (std::size_t k = 0; k < list.size(); ++k)
      if (answers[k]) {
        at(list[k].first, list[k].second).candidate = std::move(answers[k]);
        ++result_.evaluated;
      }
    return exhausted();
  }

  void finish(std::optional<StopReason> stopped, std::int64_t cap) {
    if (stopped) {
      remember_best(no_cap);
      result_.stop = *stopped;
      const std::vector<CoverRun> path = shortest(cap, /*known_only=*/false);
      double cost = 0;
      for (const CoverRun& r : path) cost += edge_cost(at(r.first, r.last), cap);
      if (!path.empty())
        result_.bound =
            std::min(result_.objective, cost + p_.peak_weight * static_cast<double>(peak_floor()));
      else
        result_.bound = result_.objective;
      result_.optimal = result_.status == Status::feasible && result_.bound >= result_.objective;
    } else {
      bool complete = true;
      for (const Edge& edge : edges_)
        complete = complete && (!edge.candidate || edge.candidate->complete);
      result_.bound = result_.objective;
      result_.optimal = result_.status == Status::feasible && complete;
      if (result_.status != Status::feasible)
        result_.status = complete ? Status::infeasible : Status::unknown;
    }
    result_.never_needed = result_.candidates - result_.excluded_by_bound - result_.evaluated;
    if (longest_ < p_.ops) check_limit();
  }

  /// Could a longer run have helped? Only its bound is asked.
  void check_limit() {
    for (std::size_t first = 0; first + longest_ < p_.ops && !result_.limit_mattered; ++first) {
      const CoverBound bound = p_.bound ? p_.bound(first, first + longest_) : CoverBound{};
      result_.limit_mattered = !bound.impossible;
    }
  }

  const CoverProblem& p_;
  const CoverParams& params_;
  std::size_t longest_ = 0;
  std::vector<Edge> edges_;
  CoverResult result_;
  std::int64_t floor_ = 0;
  std::int64_t floor_evaluated_ = -1;
};

}  // namespace

CoverResult best_cover(const CoverProblem& problem, const CoverParams& params) {
  return Search(problem, params).run();
}

}  // namespace tessera
