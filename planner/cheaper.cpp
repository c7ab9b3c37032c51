#include "planner/cheaper.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/parallel.h"
#include "model/shared_work.h"

namespace tessera::planner {
namespace {

/// Limit for the repeated partition search, whose time grows with the square of the ops.
constexpr std::size_t most_relaxed_ops = 200;
/// Relative tolerance: bounds are sums, too.
constexpr double slack = 1 - 1e-9;

class Cheaper {
 public:
  Cheaper(Candidates& candidates, const search::CoverProblem& problem,
          const search::CoverParams& params, const CheaperTiles& how, search::CoverResult& result)
      : candidates_(candidates), problem_(problem), params_(params), how_(how), result_(result) {
    // Intermediate partitions are not plans, so they are not reported.
    params_.progress = nullptr;
    tell_ = params.progress;
  }

  void run() {
    const double bound = bound_ = result_.bound;
    look_around();
    look_at_more();
    const std::optional<StopReason> stopped = params_.budget.exhausted();
    if (!stopped) return;
    // The search is incomplete, so optimality is unknown.
    if (result_.stop == StopReason::completed) result_.stop = *stopped;
    result_.optimal = false;
    result_.bound = std::clamp(still_proved(bound), 0.0, result_.objective);
  }

 private:
  using Runs = std::set<std::pair<std::size_t, std::size_t>>;

  void look_around() {
    settle();
    if (problem_.ops > most_relaxed_ops) return;
    double best = result_.objective;
    for (int in_vain = 0; in_vain < how_.patience && !params_.budget.exhausted(); ++in_vain) {
      bounds_together();
      const search::CoverResult found = search::best_cover(relaxed(), params_);
      if (found.status != Status::feasible || found.objective >= result_.objective) return;
      if (raise_bounds(found)) continue;
      if (!look_at(found)) return;
      settle();
      if (result_.objective < best) in_vain = 0;
      best = result_.objective;
    }
  }

  /// Runs last, so that the result can only improve.
  void look_at_more() {
    using Stage = ShapeGoal::Stage;
    const auto look_at = [&](Stage stage) {
      stage_ = stage;
      looked_.clear();
      settle();
    };
    if (std::ranges::any_of(how_.one_copy, [](OneCopy each) { return each != OneCopy::none; }))
      look_at(Stage::one_copies);
    if (std::ranges::any_of(how_.reduction, [](std::int64_t parts) { return parts > 1; }))
      look_at(Stage::reductions);
    if (how_.side_by_side) look_at(Stage::side_by_side);
  }

  /// Repeats until all groups of the best partition are refined.
  void settle() {
    while (!params_.budget.exhausted()) {
      look_at(result_);
      if (!changed_) return;
      changed_ = false;
      take_cheaper_options(result_);
      search::CoverResult better = search::best_cover(problem_, params_);
      if (better.status != Status::feasible) return;
      const bool lower = better.objective < result_.objective;
      // A proof that nothing is lower is kept.
      if (lower || (better.optimal && better.objective <= result_.objective))
        result_ = std::move(better);
      if (!lower) return;
    }
  }

  /// Refines the groups that are not refined yet. True if there were any.
  bool look_at(const search::CoverResult& cover) {
    std::vector<OpRange> fresh;
    for (const search::CoverRun& run : cover.runs) {
      const OpRange ops = evaluated_run(run);
      if (looked_.insert({ops.first, ops.last}).second) fresh.push_back(ops);
    }
    const ShapeGoal goal = goal_of_cover();
    for (const OpRange& ops : fresh)
      if (!costs_.contains({ops.first, ops.last})) {
        const double cost = least_cost(ops);
        costs_[{ops.first, ops.last}] = {cost, cost};
      }
    std::atomic<bool> changed{false};
    each_sharing(helpers(), structures(fresh), [&](std::size_t k, SharedWork& shared) {
      if (candidates_.refine(fresh[k], goal, &shared)) changed = true;
      tell();
    });
    changed_ = changed_ || changed;
    for (const OpRange& ops : fresh) costs_[{ops.first, ops.last}].now = least_cost(ops);
    return !fresh.empty();
  }

  [[nodiscard]] Helpers helpers() const {
    return {.threads = params_.threads, .outer = how_.outer};
  }
  [[nodiscard]] std::vector<std::string> structures(const std::vector<OpRange>& runs) const {
    std::vector<std::string> words;
    for (const OpRange& ops : runs) words.push_back(candidates_.structure_of(ops));
    return words;
  }

  /// A lower bound: no group became cheaper by a larger factor than the largest one, and thus no
  /// partition did, apart from its peak.
  [[nodiscard]] double still_proved(double bound) const {
    double factor = 1;
    for (const auto& [run, cost] : costs_)
      if (cost.now < cost.before) factor = std::min(factor, cost.now / cost.before);
    return factor * (bound - problem_.peak_weight * static_cast<double>(how_.largest_peak));
  }

  [[nodiscard]] double least_cost(OpRange ops) {
    double least = std::numeric_limits<double>::infinity();
    for (const PlannedSubgraph& option : candidates_.answer(ops)->options)
      if (how_.limits.allow(option.metrics))
        least = std::min(least, cost::additive_score(how_.score, option.metrics));
    return least;
  }

  /// True if the bound of some group rises when it is computed per number of tiles along each axis.
  /// This test takes a fraction of the time of evaluating shapes.
  bool raise_bounds(const search::CoverResult& cover) {
    std::vector<OpRange> fresh;
    for (const search::CoverRun& run : cover.runs) {
      const OpRange ops = evaluated_run(run);
      if (!looked_.contains({ops.first, ops.last}) && bounded_.insert({ops.first, ops.last}).second)
        fresh.push_back(ops);
    }
    std::vector<double> least(fresh.size());
    each_sharing(helpers(), structures(fresh), [&](std::size_t k, SharedWork& shared) {
      least[k] = slack * candidates_.least_score_of_shapes(fresh[k], additive(), &shared);
    });
    bool any = false;
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      double& bound = least_[{fresh[k].first, fresh[k].last}];
      any = any || least[k] > bound;
      bound = std::max(bound, least[k]);
    }
    return any;
  }

  [[nodiscard]] std::function<double(const Metrics&)> additive() const {
    return [this](const Metrics& m) { return cost::additive_score(how_.score, m); };
  }

  double least_of(std::size_t first, std::size_t last) {
    {
      const std::lock_guard guard(least_lock_);
      const auto known = least_.find({first, last});
      if (known != least_.end()) return known->second;
    }
    const double bound = slack * candidates_.least_score({first, last}, additive());
    const std::lock_guard guard(least_lock_);
    return least_.try_emplace({first, last}, bound).first->second;
  }

  /// Bounds of known groups are always needed: compute them in parallel.
  void bounds_together() {
    if (params_.threads < 2) return;
    std::vector<OpRange> fresh;
    for (std::size_t first = 0; first < problem_.ops; ++first)
      for (std::size_t last = first; last < problem_.ops && last - first < problem_.max_ops; ++last)
        if (!looked_.contains({first, last}) && !least_.contains({first, last}) &&
            candidates_.known({first, last}).first)
          fresh.push_back({first, last});
    each_together(params_.threads, fresh.size(),
                  [&](std::size_t k) { least_of(fresh[k].first, fresh[k].last); });
  }

  /// The problem with groups that are not refined at their lower bound.
  [[nodiscard]] search::CoverProblem relaxed() {
    search::CoverProblem problem = problem_;
    const auto relax = [this](std::size_t first, std::size_t last,
                              search::CoverCandidate& candidate) {
      if (looked_.contains({first, last})) return;
      const double bound = least_of(first, last);
      for (search::CoverOption& option : candidate.options)
        option.cost = std::min(option.cost, bound);
    };
    problem.evaluate = [this, relax](std::size_t first, std::size_t last, int effort) {
      search::CoverCandidate candidate = problem_.evaluate(first, last, effort);
      relax(first, last, candidate);
      return candidate;
    };
    if (problem_.known)
      problem.known = [this, relax](std::size_t first, std::size_t last) {
        auto known = problem_.known(first, last);
        if (known) relax(first, last, known->first);
        return known;
      };
    return problem;
  }

  [[nodiscard]] Size peak() {
    Size peak = 0;
    for (const search::CoverRun& run : result_.runs) {
      const auto answer = candidates_.answer(evaluated_run(run));
      peak = std::max(peak, answer->options[run.option].metrics.peak_bytes);
    }
    return peak;
  }

  /// Score of a group in a partition with this peak: peaks below it are not charged.
  [[nodiscard]] ShapeGoal goal_of_cover() {
    ShapeGoal goal = shape_goal(how_.score, how_.limits, how_.most_shapes, peak());
    goal.last = stage_;
    return goal;
  }

  /// The same partition with the best options found for its groups.
  void take_cheaper_options(search::CoverResult& cover) {
    const Size most = peak();
    double sum = 0;
    for (search::CoverRun& run : cover.runs) {
      const auto answer = candidates_.answer(evaluated_run(run));
      double least = cost::additive_score(how_.score, answer->options[run.option].metrics);
      for (std::size_t k = 0; k < answer->options.size(); ++k) {
        const Metrics& m = answer->options[k].metrics;
        const double cost = cost::additive_score(how_.score, m);
        if (m.peak_bytes > most || !how_.limits.allow(m) || cost >= least) continue;
        least = cost;
        run.option = k;
      }
      sum += least;
    }
    sum += problem_.peak_weight * static_cast<double>(most);
    cover.objective = std::min(cover.objective, sum);
  }

  /// Reports the plan that run() would return if it stopped here.
  void tell() {
    using namespace std::chrono_literals;
    if (!tell_) return;
    const std::lock_guard guard(told_lock_);
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < 100ms) return;
    told_ = now;
    search::CoverResult cover = result_;
    take_cheaper_options(cover);
    tell_(cover.objective, std::clamp(still_proved(bound_), 0.0, cover.objective),
          result_.evaluated);
  }

  Candidates& candidates_;
  const search::CoverProblem& problem_;
  search::CoverParams params_;
  const CheaperTiles& how_;
  search::CoverResult& result_;
  double bound_ = 0;  ///< of the initial partition
  std::function<void(double, double, std::int64_t)> tell_;
  std::mutex told_lock_;
  std::chrono::steady_clock::time_point told_{};
  Runs looked_;
  Runs bounded_;  ///< groups whose bound uses the tiles along each axis
  std::mutex least_lock_;
  std::map<std::pair<std::size_t, std::size_t>, double> least_;  ///< lower bounds of all tilings
  ShapeGoal::Stage stage_ = ShapeGoal::Stage::plain;
  bool changed_ = false;  ///< new options exist since the last partition search
  struct Cost {
    double before = 0;  ///< with the fewest tiles
    double now = 0;     ///< with all tiles found
  };
  std::map<std::pair<std::size_t, std::size_t>, Cost> costs_;  ///< of refined groups
};

}  // namespace

ShapeGoal shape_goal(const cost::Score& score, const PeakLimits& limits, std::int64_t most_shapes,
                     Size free) {
  const double per_byte = cost::peak_weight(score);
  std::ostringstream key;
  key << most_shapes << ' ' << (per_byte > 0 ? free : 0) << ' ' << std::hexfloat << per_byte;
  for (const Metrics& unit :
       {Metrics{.latency_cycles = 1}, Metrics{.energy_pj = 1}, Metrics{.dram_bytes = 1}})
    key << ' ' << cost::additive_score(score, unit);
  key << ' ' << limits.peak_bytes << ' ' << limits.peak_bandwidth;
  return {.score =
              [score, limits, per_byte, free](const Metrics& m) {
                return limits.allow(m)
                           ? cost::additive_score(score, m) +
                                 per_byte * static_cast<double>(std::max(free, m.peak_bytes))
                           : std::numeric_limits<double>::infinity();
              },
          .key = std::move(key).str(),
          .most_shapes = most_shapes};
}

void take_cheaper_tiles(Candidates& candidates, const search::CoverProblem& problem,
                        const search::CoverParams& params, const CheaperTiles& how,
                        search::CoverResult& result) {
  Cheaper(candidates, problem, params, how, result).run();
}

}  // namespace tessera::planner
