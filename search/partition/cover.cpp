#include "search/partition/cover.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include "model/crew.h"
#include "model/poll.h"
#include "search/partition/ahead.h"
#include "search/partition/cover_kind.h"
#include "search/partition/run_kinds.h"

namespace tessera::search {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t no_cap = std::numeric_limits<std::int64_t>::max();

/// Of all runs that are alike.
struct Kind {
  CoverBound bound;
  std::unique_ptr<CoverCandidate> candidate;  ///< once evaluated
  int effort = 0;                             ///< of the next evaluation
  bool given_up = false;                      ///< what it left open stays open
};

/// Covers whose peak lies above `lo` and at most at `hi`.
struct Interval {
  std::int64_t lo = -1;
  std::int64_t hi = no_cap;
  double bound = 0;  ///< none of them costs less
};

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
    begin_ahead();
    if (!ahead_ || params_.threads > 1) return search();
    // One thread searches, and whoever comes to help looks ahead.
    std::atomic<bool> begun{false};
    CoverResult found;
    params_.outer->run([&] {
      if (begun.exchange(true)) return ahead_->help();
      const AtEnd end(*ahead_);
      found = search();
    });
    return found;
  }

 private:
  struct AtEnd {
    explicit AtEnd(Ahead& ahead) : ahead_(ahead) {}
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;
    ~AtEnd() { ahead_.end(); }

   private:
    Ahead& ahead_;
  };

  CoverResult search() {
    std::optional<StopReason> stopped;
    // Single ops first: they are the baseline, and a cover exists from then on if there is any.
    std::vector<std::uint32_t> singles;
    for (std::size_t op = 0; op < p_.ops; ++op)
      if (!at(op, op).bound.impossible && !at(op, op).candidate)
        singles.push_back(kinds_.of(op, op));
    stopped = evaluate(std::move(singles));
    remember_best(no_cap);

    std::vector<Interval> intervals{Interval{}};
    while (!stopped && !intervals.empty()) {
      // The least bound first, of equals the one with the highest peaks.
      const auto next = std::ranges::min_element(
          intervals, {}, [](const Interval& i) { return std::pair(i.bound, -i.hi); });
      const Interval interval = *next;
      *next = intervals.back();
      intervals.pop_back();
      if (interval.bound >= std::min(result_.objective, params_.worth_below)) {
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
    poll.room(static_cast<double>(kinds_.count()) * (sizeof(Kind) + sizeof(double)));
    of_.resize(kinds_.count());
    // In the order of first ops, as bounds are cheapest.
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
        if (of_[kind].bound.impossible)
          result_.excluded_by_bound += kinds_.members(kind);
        else if (p_.known)
          take_known(kind, p_.known(first, last));
      }
  }

  void take_known(std::uint32_t kind, std::optional<std::pair<CoverCandidate, int>> known) {
    if (!known) return;
    of_[kind].candidate = std::make_unique<CoverCandidate>(std::move(known->first));
    of_[kind].effort = known->second + 1;
    ++result_.evaluated;
    result_.answered += kinds_.members(kind);
  }

  Kind& at(std::size_t first, std::size_t last) { return of_[kinds_.of(first, last)]; }

  /// Has the kind something open that, as far as is known, may be better than its options?
  static bool is_hopeful(const Kind& kind, std::int64_t cap) {
    return !kind.given_up && hopeful(*kind.candidate, kind.bound, cap);
  }

  static double kind_cost(const Kind& kind, std::int64_t cap) {
    if (kind.bound.impossible || kind.bound.peak > cap) return infinity;
    if (!kind.candidate) return kind.bound.cost;
    return is_hopeful(kind, cap) ? open_cost(*kind.candidate, kind.bound)
                                 : option_cost(*kind.candidate, cap);
  }
  /// With which effort a path that has the kind would ask about it.
  static int next_effort(const Kind& kind, std::int64_t cap) {
    if (kind.bound.impossible) return Ahead::settled;
    if (!kind.candidate) return kind.effort;
    return is_hopeful(kind, cap) && !kind.candidate->final ? kind.effort : Ahead::settled;
  }
  static std::int64_t kind_peak(const Kind& kind, std::int64_t cap) {
    if (!kind.candidate) return kind.bound.peak;
    if (is_hopeful(kind, cap)) return kind.candidate->open_peak;
    const auto best = pick(*kind.candidate, cap);
    return best ? kind.candidate->options[*best].peak : 0;
  }

  /// Finds out more about the covers of an interval, and puts back what is left of it.
  std::optional<StopReason> refine(const Interval& interval, std::vector<Interval>& intervals) {
    const std::vector<CoverRun> path = shortest(interval.hi, costs(interval.hi));
    ++result_.rounds;
    if (path.empty()) return std::nullopt;  // nothing under this cap
    double cost = 0;
    std::int64_t peak = 0;
    std::vector<std::uint32_t> unknown;
    std::vector<std::uint32_t> open;
    for (const CoverRun& r : path) {
      const Kind& kind = at(r.first, r.last);
      cost += kind_cost(kind, interval.hi);
      peak = std::max(peak, kind_peak(kind, interval.hi));
      if (!kind.candidate)
        unknown.push_back(kinds_.of(r.first, r.last));
      else if (is_hopeful(kind, interval.hi))
        open.push_back(kinds_.of(r.first, r.last));
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

  /// Kinds that were final already stay open: nobody will know more.
  std::optional<StopReason> evaluate_more(const std::vector<std::uint32_t>& list, double bound) {
    std::vector<std::uint32_t> worth;
    for (const std::uint32_t number : list) {
      Kind& kind = of_[number];
      if (!kind.candidate || !kind.candidate->final) {
        worth.push_back(number);
        continue;
      }
      kind.given_up = true;
      changed(number);
      unresolved_ = std::min(unresolved_, bound);
    }
    return evaluate(std::move(worth));
  }

  [[nodiscard]] double least_bound(const std::vector<Interval>& intervals) const {
    double bound = std::min(result_.objective, unresolved_);
    for (const Interval& interval : intervals) bound = std::min(bound, interval.bound);
    return bound;
  }

  /// A bound on the largest peak of any cover: every op lies in some run.
  std::int64_t peak_floor() {
    if (p_.peak_weight <= 0 || floor_evaluated_ == result_.evaluated + result_.again) return floor_;
    peaks_.resize(of_.size());
    std::ranges::transform(of_, peaks_.begin(), least_peak);
    least_.assign(p_.ops, no_cap);
    for (std::size_t first = 0; first < p_.ops; ++first) {
      const std::span<const std::uint32_t> row = kinds_.from(first);
      std::int64_t least = no_cap;  // of the runs that go at least as far
      for (std::size_t k = row.size(); k-- > 0;) {
        least = std::min(least, peaks_[row[k]]);
        least_[first + k] = std::min(least_[first + k], least);
      }
    }
    floor_ = 0;
    for (const std::int64_t peak : least_)
      if (peak != no_cap) floor_ = std::max(floor_, peak);
    floor_evaluated_ = result_.evaluated + result_.again;
    return floor_;
  }

  static std::int64_t least_peak(const Kind& kind) {
    if (kind.bound.impossible) return no_cap;
    if (!kind.candidate) return kind.bound.peak;
    std::int64_t peak = kind.candidate->complete() ? no_cap : kind.candidate->open_peak;
    for (const CoverOption& option : kind.candidate->options) peak = std::min(peak, option.peak);
    return peak;
  }

  /// What runs of each kind cost under the cap. The reference holds until the next call.
  const std::vector<double>& costs(std::int64_t cap) {
    if (costs_.size() != of_.size() || cap != costs_cap_) {
      costs_.resize(of_.size());
      std::ranges::transform(of_, costs_.begin(),
                             [&](const Kind& kind) { return kind_cost(kind, cap); });
      costs_cap_ = cap;
      tell_ahead();
    }
    return costs_;
  }
  void changed(std::uint32_t kind) {
    if (!costs_.empty()) costs_[kind] = kind_cost(of_[kind], costs_cap_);
    if (ahead_)
      ahead_->see(kind, kind_cost(of_[kind], costs_cap_), next_effort(of_[kind], costs_cap_));
  }
  void tell_ahead() {
    if (!ahead_) return;
    std::vector<int> efforts(of_.size());
    std::ranges::transform(of_, efforts.begin(),
                           [&](const Kind& kind) { return next_effort(kind, costs_cap_); });
    ahead_->see_all(costs_, std::move(efforts), costs_cap_);
  }
  /// Other threads look at what will be asked about.
  void begin_ahead() {
    if (!p_.ahead || (params_.threads < 2 && params_.outer == nullptr)) return;
    ahead_.emplace(
        kinds_, p_.ops, [this](std::uint32_t kind) -> const CoverBound& { return of_[kind].bound; },
        [this](std::uint32_t kind, int effort) {
          const auto [first, last] = kinds_.run(kind);
          return exhausted() ? std::nullopt : p_.ahead(first, last, effort);
        },
        params_.threads - 1, params_.inner);
    costs(no_cap);
  }
  [[nodiscard]] std::vector<double> known_costs(std::int64_t cap) const {
    std::vector<double> costs(of_.size());
    std::ranges::transform(of_, costs.begin(), [&](const Kind& kind) {
      return kind.candidate ? option_cost(*kind.candidate, cap) : infinity;
    });
    return costs;
  }

  /// Shortest path over the cut points 0..ops; the fewest runs where costs are equal.
  std::vector<CoverRun> shortest(std::int64_t cap, const std::vector<double>& costs) {
    shortest_paths(kinds_, p_.ops, costs, nodes_);
    std::vector<CoverRun> path;
    if (nodes_[p_.ops].cost == infinity) return path;
    for (std::size_t end = p_.ops; end > 0; end = nodes_[end].from) {
      const std::uint32_t number = kinds_.of(nodes_[end].from, end - 1);
      const Kind& kind = of_[number];
      const auto option = kind.candidate ? pick(*kind.candidate, cap) : std::nullopt;
      path.push_back({nodes_[end].from, end - 1, option.value_or(0), kinds_.run(number).first});
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
    const std::vector<CoverRun> path = shortest(cap, known_costs(cap));
    if (!path.empty()) consider(path);
  }

  /// The best that is known is not remembered: what the search does must not depend on the clock.
  void tell(const std::vector<Interval>& intervals) {
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
    std::ranges::sort(list);  // kinds of short runs first
    list.erase(std::unique(list.begin(), list.end()), list.end());
    std::vector<std::unique_ptr<CoverCandidate>> answers(list.size());
    std::atomic<std::size_t> next{0};
    std::optional<StopReason> short_of;
    const auto answer = [&](std::size_t k) {
      const auto [first, last] = kinds_.run(list[k]);
      answers[k] = std::make_unique<CoverCandidate>(p_.evaluate(first, last, of_[list[k]].effort));
    };
    try {
      if (ahead_) {
        if (!list.empty()) ahead_->ask(list);
        for (std::size_t k = 0; k < list.size() && !exhausted(); ++k)
          if (ahead_->take(list[k])) answer(k);
        // What others are at is waited for at last.
        for (std::size_t k = 0; k < list.size() && !exhausted(); ++k) {
          if (answers[k]) continue;
          ahead_->wait_for(list[k]);
          answer(k);
        }
      } else {
        work_together(std::min(params_.threads, static_cast<int>(list.size())), [&] {
          for (std::size_t k = next++; k < list.size() && !exhausted(); k = next++) answer(k);
        });
      }
    } catch (const std::bad_alloc&) {  // what the others answered stands
      short_of = StopReason::memory_limit;
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!answers[k]) continue;
      Kind& kind = of_[list[k]];
      if (!kind.candidate) result_.answered += kinds_.members(list[k]);
      ++(kind.candidate ? result_.again : result_.evaluated);
      kind.candidate = std::move(answers[k]);
      ++kind.effort;
      changed(list[k]);
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
      result_.status =
          unresolved_ < infinity || !intervals.empty() ? Status::unknown : Status::infeasible;
    result_.optimal = result_.status == Status::feasible && result_.bound >= result_.objective;
    result_.never_needed = result_.candidates - result_.excluded_by_bound - result_.answered;
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
  RunKinds kinds_;
  std::vector<Kind> of_;  ///< by kind
  std::optional<Ahead> ahead_;
  CoverResult result_;
  std::chrono::steady_clock::time_point told_{};
  // Working memory.
  std::vector<CoverNode> nodes_;
  std::vector<double> costs_;  ///< by kind, under costs_cap_
  std::int64_t costs_cap_ = no_cap;
  std::vector<std::int64_t> peaks_;
  std::vector<std::int64_t> least_;
  std::int64_t floor_ = 0;
  std::int64_t floor_evaluated_ = -1;
  double unresolved_ = infinity;  ///< covers that nobody could decide about cost at least this
};

}  // namespace

CoverResult best_cover(const CoverProblem& problem, const CoverParams& params) {
  return Search(problem, params).run();
}

}  // namespace tessera::search
