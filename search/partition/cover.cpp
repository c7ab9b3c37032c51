#include "search/partition/cover.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "model/crew.h"

namespace tessera {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t no_cap = std::numeric_limits<std::int64_t>::max();

struct Edge {
  CoverBound bound;
  std::optional<CoverCandidate> candidate;  ///< once evaluated
  int effort = 0;                           ///< of the next evaluation
  bool given_up = false;                    ///< what it left open stays open
};

/// Covers whose peak lies above `lo` and at most at `hi`.
struct Interval {
  std::int64_t lo = -1;
  std::int64_t hi = no_cap;
  double bound = 0;  ///< none of them costs less
};

using Run = std::pair<std::size_t, std::size_t>;

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
    std::vector<Run> singles;
    for (std::size_t op = 0; op < p_.ops; ++op)
      if (!at(op, op).bound.impossible) singles.emplace_back(op, op);
    std::optional<StopReason> stopped = evaluate(singles);
    remember_best(no_cap);

    std::vector<Interval> intervals{Interval{}};
    while (!stopped && !intervals.empty()) {
      // The least bound first, of equals the one with the highest peaks.
      const auto next = std::ranges::min_element(
          intervals, {}, [](const Interval& i) { return std::pair(i.bound, -i.hi); });
      const Interval interval = *next;
      *next = intervals.back();
      intervals.pop_back();
      if (interval.bound >= result_.objective) break;  // and so are all others
      stopped = refine(interval, intervals);
      if (params_.progress)
        params_.progress(result_.objective, least_bound(intervals), result_.evaluated);
    }
    finish(stopped, intervals);
    return std::move(result_);
  }

 private:
  Edge& at(std::size_t first, std::size_t last) { return edges_[first * longest_ + last - first]; }

  /// Has the edge something open that, as far as is known, may be better than its options?
  static bool hopeful(const Edge& edge, std::int64_t cap) {
    const CoverCandidate& c = *edge.candidate;
    if (edge.given_up || c.complete() || c.open_peak > cap) return false;
    const auto best = pick(c, cap);
    return !best || c.open_cost < c.options[*best].cost;
  }

  static double edge_cost(const Edge& edge, std::int64_t cap) {
    if (edge.bound.impossible || edge.bound.peak > cap) return infinity;
    if (!edge.candidate) return edge.bound.cost;
    return hopeful(edge, cap) ? edge.candidate->open_cost : option_cost(edge, cap);
  }
  /// require: the edge is evaluated.
  static double option_cost(const Edge& edge, std::int64_t cap) {
    const auto best = pick(*edge.candidate, cap);
    return best ? edge.candidate->options[*best].cost : infinity;
  }
  static std::int64_t edge_peak(const Edge& edge, std::int64_t cap) {
    if (!edge.candidate) return edge.bound.peak;
    if (hopeful(edge, cap)) return edge.candidate->open_peak;
    const auto best = pick(*edge.candidate, cap);
    return best ? edge.candidate->options[*best].peak : 0;
  }

  /// Finds out more about the covers of an interval, and puts back what is left of it.
  std::optional<StopReason> refine(const Interval& interval, std::vector<Interval>& intervals) {
    const std::vector<CoverRun> path = shortest(interval.hi, /*known_only=*/false);
    ++result_.rounds;
    if (path.empty()) return std::nullopt;  // nothing under this cap
    double cost = 0;
    std::int64_t peak = 0;
    std::vector<Run> unknown;
    std::vector<Run> open;
    for (const CoverRun& r : path) {
      const Edge& edge = at(r.first, r.last);
      cost += edge_cost(edge, interval.hi);
      peak = std::max(peak, edge_peak(edge, interval.hi));
      if (!edge.candidate)
        unknown.emplace_back(r.first, r.last);
      else if (hopeful(edge, interval.hi))
        open.emplace_back(r.first, r.last);
    }
    Interval rest = interval;
    rest.bound =
        std::max(rest.bound, cost_with_peak(cost, std::max(interval.lo + 1, peak_floor())));
    if (rest.bound >= result_.objective) return std::nullopt;
    if (!unknown.empty() || !open.empty()) {
      intervals.push_back(rest);
      return evaluate_more(unknown.empty() ? open : unknown, rest.bound);
    }
    consider(path);
    // With higher peaks than this path's nothing is cheaper; below, only up to where the peak's
    // share makes good for a path that costs at least as much.
    if (p_.peak_weight <= 0 || peak <= 0) return std::nullopt;
    rest.hi = peak - 1;
    const double worth = (result_.objective - cost) / p_.peak_weight;
    if (worth < static_cast<double>(rest.hi))
      rest.hi = std::max<std::int64_t>(interval.lo, static_cast<std::int64_t>(worth));
    split(rest, cost, intervals);
    return std::nullopt;
  }

  void split(const Interval& rest, double cost, std::vector<Interval>& intervals) const {
    const std::int64_t lo = std::max(rest.lo, floor_ - 1);
    if (rest.hi <= lo) return;
    const std::int64_t middle = lo + (rest.hi - lo) / 2;
    if (middle > lo) intervals.push_back({lo, middle, cost_with_peak(cost, lo + 1)});
    intervals.push_back({middle, rest.hi, cost_with_peak(cost, middle + 1)});
  }

  [[nodiscard]] double cost_with_peak(double cost, std::int64_t peak) const {
    return cost + p_.peak_weight * static_cast<double>(peak);
  }

  /// Edges that were final already stay open: nobody will know more.
  std::optional<StopReason> evaluate_more(const std::vector<Run>& list, double bound) {
    std::vector<Run> worth;
    for (const auto& [first, last] : list) {
      Edge& edge = at(first, last);
      if (!edge.candidate || !edge.candidate->final) {
        worth.emplace_back(first, last);
        continue;
      }
      edge.given_up = true;
      unresolved_ = std::min(unresolved_, bound);
    }
    return evaluate(worth);
  }

  [[nodiscard]] double least_bound(const std::vector<Interval>& intervals) const {
    double bound = std::min(result_.objective, unresolved_);
    for (const Interval& interval : intervals) bound = std::min(bound, interval.bound);
    return bound;
  }

  /// A bound on the largest peak of any cover: every op lies in some run.
  std::int64_t peak_floor() {
    if (floor_evaluated_ == result_.evaluated + result_.again) return floor_;
    std::vector<std::int64_t> least(p_.ops, no_cap);
    for (std::size_t first = 0; first < p_.ops; ++first)
      for (std::size_t last = first; last < std::min(p_.ops, first + longest_); ++last) {
        const Edge& edge = at(first, last);
        if (edge.bound.impossible) continue;
        std::int64_t peak = edge.bound.peak;
        if (edge.candidate) {
          peak = edge.candidate->complete() ? no_cap : edge.candidate->open_peak;
          for (const CoverOption& option : edge.candidate->options)
            peak = std::min(peak, option.peak);
        }
        for (std::size_t op = first; op <= last; ++op) least[op] = std::min(least[op], peak);
      }
    floor_ = 0;
    for (const std::int64_t peak : least)
      if (peak != no_cap) floor_ = std::max(floor_, peak);
    floor_evaluated_ = result_.evaluated + result_.again;
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
        const double cost =
            node[first].cost + (known_only ? option_cost(edge, cap) : edge_cost(edge, cap));
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

  /// require: every run of the path has the option it names.
  void consider(const std::vector<CoverRun>& path) {
    double cost = 0;
    std::int64_t peak = 0;
    for (const CoverRun& r : path) {
      const CoverOption& option = at(r.first, r.last).candidate->options[r.option];
      cost += option.cost;
      peak = std::max(peak, option.peak);
    }
    const double objective = cost_with_peak(cost, peak);
    if (objective < result_.objective) {
      result_.objective = objective;
      result_.runs = path;
      result_.status = Status::feasible;
    }
  }

  void remember_best(std::int64_t cap) {
    const std::vector<CoverRun> path = shortest(cap, /*known_only=*/true);
    if (!path.empty()) consider(path);
  }

  std::optional<StopReason> exhausted() const {
    if (params_.stop.stop_requested()) return StopReason::interrupted;
    if (params_.deadline != std::chrono::steady_clock::time_point::max() &&
        std::chrono::steady_clock::now() >= params_.deadline)
      return StopReason::time_limit;
    return std::nullopt;
  }

  std::optional<StopReason> evaluate(const std::vector<Run>& list) {
    std::vector<std::optional<CoverCandidate>> answers(list.size());
    std::atomic<std::size_t> next{0};
    std::optional<StopReason> short_of;
    try {
      work_together(std::min(params_.threads, static_cast<int>(list.size())), [&] {
        for (std::size_t k = next++; k < list.size() && !exhausted(); k = next++)
          answers[k] =
              p_.evaluate(list[k].first, list[k].second, at(list[k].first, list[k].second).effort);
      });
    } catch (const std::bad_alloc&) {  // what the others answered stands
      short_of = StopReason::memory_limit;
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!answers[k]) continue;
      Edge& edge = at(list[k].first, list[k].second);
      ++(edge.candidate ? result_.again : result_.evaluated);
      edge.candidate = std::move(answers[k]);
      ++edge.effort;
    }
    return short_of ? short_of : exhausted();
  }

  void finish(std::optional<StopReason> stopped, const std::vector<Interval>& intervals) {
    if (stopped) {
      remember_best(no_cap);
      result_.stop = *stopped;
    }
    result_.bound = least_bound(intervals);
    if (!stopped && result_.status != Status::feasible)
      result_.status = unresolved_ < infinity ? Status::unknown : Status::infeasible;
    result_.optimal = result_.status == Status::feasible && result_.bound >= result_.objective;
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
  double unresolved_ = infinity;  ///< covers that nobody could decide about cost at least this
};

}  // namespace

CoverResult best_cover(const CoverProblem& problem, const CoverParams& params) {
  return Search(problem, params).run();
}

}  // namespace tessera
