#include "search/partition/cover.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include "model/numeric.h"
#include "model/parallel.h"
#include "model/poll.h"
#include "search/partition/cover_kind.h"
#include "search/partition/peak_intervals.h"
#include "search/partition/run_kinds.h"

namespace tessera::search {
namespace {

constexpr std::int64_t no_cap = std::numeric_limits<std::int64_t>::max();

class Search {
 public:
  Search(const CoverProblem& problem, const CoverParams& params) : p_(problem), params_(params) {
    longest_ = std::min(p_.max_ops, p_.ops);
  }

  CoverResult run() {
    try {
      prepare();
    } catch (const BudgetEnded& ended) {
      result_.stop = ended.reason;
      return std::move(result_);
    }
    return search();
  }

 private:
  CoverResult search() {
    std::optional<StopReason> stopped;
    // Single ops first: they are the baseline, and give a partition if there is any.
    std::vector<std::uint32_t> singles;
    for (std::size_t op = 0; op < p_.ops; ++op)
      if (!at(op, op).bound.impossible && !at(op, op).candidate)
        singles.push_back(kinds_.of(op, op));
    stopped = evaluate(std::move(singles));
    remember_best(no_cap);

    std::vector<PeakInterval> intervals{PeakInterval{}};
    while (!stopped && !intervals.empty()) {
      const PeakInterval interval = take_next(intervals);
      if (interval.bound >= result_.objective) {
        intervals.push_back(interval);  // and so are all others
        break;
      }
      if ((stopped = exhausted())) {
        intervals.push_back(interval);
        break;
      }
      stopped = refine(interval, intervals);
      if (params_.progress) tell(intervals);
    }
    finish(stopped, intervals);
    return std::move(result_);
  }

  /// Throws BudgetEnded.
  void prepare() {
    Poll poll(params_.budget);
    kinds_ = RunKinds(p_.ops, p_.like, longest_, poll);
    poll.check_memory(static_cast<double>(kinds_.count()) *
                      (sizeof(CoverKind) + 3 * sizeof(double)));
    of_.resize(kinds_.count());
    // In the order of first ops, which makes bounds cheapest.
    for (std::size_t first = 0; first < p_.ops; ++first)
      for (std::size_t last = first; last < std::min(p_.ops, first + longest_); ++last) {
        poll();
        const std::uint32_t kind = kinds_.of(first, last);
        if (kinds_.run(kind).first != first) continue;
        if (p_.bound) {
          of_[kind].bound = p_.bound(first, last);
          poll(10);
        }
        result_.candidates += kinds_.members(kind);
        if (of_[kind].bound.impossible) result_.excluded_by_bound += kinds_.members(kind);
      }
  }

  CoverKind& at(std::size_t first, std::size_t last) { return of_[kinds_.of(first, last)]; }

  /// Explores the partitions of an interval, and puts the unexplored part back.
  std::optional<StopReason> refine(const PeakInterval& interval,
                                   std::vector<PeakInterval>& intervals) {
    const std::vector<CoverRun> path = shortest(interval.hi, costs(interval.hi));
    ++result_.rounds;
    if (path.empty()) return std::nullopt;  // no partition under this cap
    double cost = 0;
    std::int64_t peak = 0;
    std::vector<std::uint32_t> unknown;
    std::vector<std::uint32_t> open;
    for (const CoverRun& r : path) {
      const CoverKind& kind = at(r.first, r.last);
      const CoverOption said = promised(kind, interval.hi);
      cost += said.cost;
      peak = std::max(peak, said.peak);
      if (!kind.candidate)
        unknown.push_back(kinds_.of(r.first, r.last));
      else if (may_improve(kind, interval.hi))
        open.push_back(kinds_.of(r.first, r.last));
    }
    PeakInterval rest = interval;
    update_floor();
    rest.bound = std::max(rest.bound, price().with(cost, std::max(interval.lo + 1, floor_)));
    if (rest.bound >= result_.objective) return std::nullopt;
    if (!unknown.empty() || !open.empty()) {
      intervals.push_back(rest);
      return evaluate_more(unknown.empty() ? open : unknown, rest.bound);
    }
    consider(path);
    add_lower(rest, cost, peak, result_.objective, price(), intervals);
    return std::nullopt;
  }

  [[nodiscard]] PeakPrice price() const { return {p_.peak_weight, floor_}; }

  /// Kinds that are already final stay unresolved: more effort gives nothing.
  std::optional<StopReason> evaluate_more(const std::vector<std::uint32_t>& list, double bound) {
    std::vector<std::uint32_t> worth;
    for (const std::uint32_t number : list) {
      CoverKind& kind = of_[number];
      if (!kind.candidate || !kind.candidate->final) {
        worth.push_back(number);
        continue;
      }
      change(number, [&] { kind.given_up = true; });
      unresolved_ = std::min(unresolved_, bound);
    }
    return evaluate(std::move(worth));
  }

  [[nodiscard]] double least_bound(const std::vector<PeakInterval>& intervals) const {
    double bound = std::min(result_.objective, unresolved_);
    for (const PeakInterval& interval : intervals) bound = std::min(bound, interval.bound);
    return bound;
  }

  /// A lower bound on the peak of any partition: every op is in some group.
  void update_floor() {
    if (p_.peak_weight <= 0 || floor_evaluated_ == result_.evaluated + result_.again) return;
    peaks_.resize(of_.size());
    std::ranges::transform(of_, peaks_.begin(), least_peak);
    least_.assign(p_.ops, no_cap);
    for (std::size_t first = 0; first < p_.ops; ++first) {
      const std::span<const std::uint32_t> row = kinds_.from(first);
      std::int64_t least = no_cap;  // of the groups that extend at least as far
      for (std::size_t k = row.size(); k-- > 0;) {
        least = std::min(least, peaks_[row[k]]);
        least_[first + k] = std::min(least_[first + k], least);
      }
    }
    floor_ = 0;
    for (const std::int64_t peak : least_)
      if (peak != no_cap) floor_ = std::max(floor_, peak);
    floor_evaluated_ = result_.evaluated + result_.again;
  }

  static std::int64_t least_peak(const CoverKind& kind) {
    if (kind.bound.impossible) return no_cap;
    if (!kind.candidate) return kind.bound.peak;
    std::int64_t peak = kind.candidate->complete() ? no_cap : kind.candidate->unresolved_peak;
    for (const CoverOption& option : kind.candidate->options) peak = std::min(peak, option.peak);
    return peak;
  }

  /// The cost of each kind under the cap. The reference is valid until the next call.
  const std::vector<double>& costs(std::int64_t cap) {
    if (costs_.size() != of_.size() || cap != costs_cap_) {
      costs_.resize(of_.size());
      std::ranges::transform(of_, costs_.begin(),
                             [&](const CoverKind& kind) { return promised(kind, cap).cost; });
      costs_cap_ = cap;
    }
    return costs_;
  }
  /// All changes of a kind's state go through here.
  template <typename How>
  void change(std::uint32_t kind, const How& how) {
    how();
    if (!costs_.empty()) costs_[kind] = promised(of_[kind], costs_cap_).cost;
  }
  [[nodiscard]] std::vector<double> known_costs(std::int64_t cap) const {
    std::vector<double> costs(of_.size());
    std::ranges::transform(of_, costs.begin(), [&](const CoverKind& kind) {
      return kind.candidate ? option_cost(*kind.candidate, cap) : infinity;
    });
    return costs;
  }

  /// Shortest path over the cut points 0..ops; the fewest groups among equal costs.
  std::vector<CoverRun> shortest(std::int64_t cap, const std::vector<double>& costs) {
    shortest_paths(kinds_, p_.ops, costs, nodes_);
    std::vector<CoverRun> path;
    if (nodes_[p_.ops].cost == infinity) return path;
    for (std::size_t end = p_.ops; end > 0; end = nodes_[end].from) {
      const std::uint32_t number = kinds_.of(nodes_[end].from, end - 1);
      const CoverKind& kind = of_[number];
      const auto option = kind.candidate ? pick(*kind.candidate, cap) : std::nullopt;
      path.push_back({nodes_[end].from, end - 1, option.value_or(0), kinds_.run(number).first});
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  /// require: every group of the path has the option it names.
  void consider(const std::vector<CoverRun>& path) {
    double cost = 0;
    std::int64_t peak = 0;
    for (const CoverRun& r : path) {
      const CoverOption& option = at(r.first, r.last).candidate->options[r.option];
      cost += option.cost;
      peak = std::max(peak, option.peak);
    }
    const double objective = price().with(cost, peak);
    if (objective < result_.objective) {
      result_.objective = objective;
      result_.runs = path;
      result_.status = Status::feasible;
    }
  }

  void remember_best(std::int64_t cap) {
    const std::vector<CoverRun> path = shortest(cap, known_costs(cap));
    if (!path.empty()) consider(path);
  }

  /// The reported best is not stored, because the search must not depend on the clock.
  void tell(const std::vector<PeakInterval>& intervals) {
    using namespace std::chrono_literals;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < 100ms) return;
    told_ = now;
    const CoverResult before = result_;
    remember_best(no_cap);
    const double best = result_.objective;
    result_ = before;
    params_.progress(best, std::min(best, least_bound(intervals)), result_.evaluated);
  }

  [[nodiscard]] std::optional<StopReason> exhausted() const { return params_.budget.exhausted(); }

  std::optional<StopReason> evaluate(std::vector<std::uint32_t> list) {
    std::ranges::sort(list);  // kinds of short groups first
    list.erase(std::unique(list.begin(), list.end()), list.end());
    std::vector<std::unique_ptr<CoverCandidate>> answers(list.size());
    std::atomic<std::size_t> next{0};
    std::optional<StopReason> short_of;
    const auto answer = [&](std::size_t k) {
      const auto [first, last] = kinds_.run(list[k]);
      answers[k] = std::make_unique<CoverCandidate>(p_.evaluate(first, last, of_[list[k]].effort));
    };
    try {
      work_together(std::min(params_.threads, static_cast<int>(list.size())), [&] {
        for (std::size_t k = next++; k < list.size() && !exhausted(); k = next++) answer(k);
      });
    } catch (const std::bad_alloc&) {  // the results of the others remain valid
      short_of = StopReason::memory_limit;
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!answers[k]) continue;
      CoverKind& kind = of_[list[k]];
      if (!kind.candidate) result_.answered += kinds_.members(list[k]);
      ++(kind.candidate ? result_.again : result_.evaluated);
      change(list[k], [&] {
        kind.candidate = std::move(answers[k]);
        ++kind.effort;
      });
    }
    return short_of ? short_of : exhausted();
  }

  void finish(std::optional<StopReason> stopped, const std::vector<PeakInterval>& intervals) {
    if (stopped) {
      remember_best(no_cap);
      result_.stop = *stopped;
    }
    result_.bound = least_bound(intervals);
    if (!stopped && result_.status != Status::feasible)
      result_.status =
          unresolved_ < infinity || !intervals.empty() ? Status::unknown : Status::infeasible;
    result_.optimal = result_.status == Status::feasible && result_.bound >= result_.objective;
    result_.never_needed = result_.candidates - result_.excluded_by_bound - result_.answered;
    if (longest_ < p_.ops) check_limit();
  }

  /// Could a longer group have helped? Only its bound is computed.
  void check_limit() {
    for (std::size_t first = 0; first + longest_ < p_.ops && !result_.limit_mattered; ++first) {
      const CoverBound bound = p_.bound ? p_.bound(first, first + longest_) : CoverBound{};
      result_.limit_mattered = !bound.impossible;
    }
  }

  const CoverProblem& p_;
  const CoverParams& params_;
  std::size_t longest_ = 0;
  RunKinds kinds_;
  std::vector<CoverKind> of_;  ///< by kind
  CoverResult result_;
  std::chrono::steady_clock::time_point told_{};
  // Reused memory.
  std::vector<CoverNode> nodes_;
  std::vector<double> costs_;  ///< by kind, under costs_cap_
  std::int64_t costs_cap_ = no_cap;
  std::vector<std::int64_t> peaks_;
  std::vector<std::int64_t> least_;
  std::int64_t floor_ = 0;
  std::int64_t floor_evaluated_ = -1;
  double unresolved_ = infinity;  ///< lower bound on the cost of undecided partitions
};

}  // namespace

CoverResult best_cover(const CoverProblem& problem, const CoverParams& params) {
  return Search(problem, params).run();
}

}  // namespace tessera::search
