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

/// Each is a search for the best cover, in the square of the ops.
constexpr std::size_t most_hopeful_ops = 200;
/// Bounds are sums, too.
constexpr double slack = 1 - 1e-9;

class Cheaper {
 public:
  Cheaper(Candidates& candidates, const search::CoverProblem& problem,
          const search::CoverParams& params, const CheaperTiles& how, search::CoverResult& result)
      : candidates_(candidates), problem_(problem), params_(params), how_(how), result_(result) {
    // Covers that are found on the way are none that the plan would be.
    params_.progress = nullptr;
    tell_ = params.progress;
  }

  void run() {
    const double bound = bound_ = result_.bound;
    look_around();
    look_at_more();
    const std::optional<StopReason> stopped = params_.budget.exhausted();
    if (!stopped) return;
    // What would have been found is not known, and so not whether this is the best.
    if (result_.stop == StopReason::completed) result_.stop = *stopped;
    result_.optimal = false;
    result_.bound = std::clamp(still_proved(bound), 0.0, result_.objective);
  }

 private:
  using Runs = std::set<std::pair<std::size_t, std::size_t>>;

  void look_around() {
    settle();
    if (problem_.ops > most_hopeful_ops) return;
    double best = result_.objective;
    for (int in_vain = 0; in_vain < how_.patience && !params_.budget.exhausted(); ++in_vain) {
      hope_together();
      const search::CoverResult hoped = search::best_cover(hopeful(), params_);
      if (hoped.status != Status::feasible || hoped.objective >= result_.objective) return;
      if (hope_less(hoped)) continue;
      if (!look_at(hoped)) return;
      settle();
      if (result_.objective < best) in_vain = 0;
      best = result_.objective;
    }
  }

  /// At the end, so that it leads to no other cover than one that is better.
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

  /// Until the best cover has only runs that were looked at.
  void settle() {
    while (!params_.budget.exhausted()) {
      look_at(result_);
      if (!changed_) return;
      changed_ = false;
      take_cheaper_options(result_);
      search::CoverResult better = search::best_cover(problem_, params_);
      if (better.status != Status::feasible) return;
      const bool lower = better.objective < result_.objective;
      // That nothing is lower is worth knowing.
      if (lower || (better.optimal && better.objective <= result_.objective))
        result_ = std::move(better);
      if (!lower) return;
    }
  }

  /// Looks for cheaper tiles of the runs that were not looked at yet: were there any?
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

  /// No run became cheaper by a larger factor than the one that did most, so no cover did: of what
  /// it costs beside its peak, that is.
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

  /// Has some run of the cover no tiles as cheap as was hoped? Found out from their numbers along
  /// each axis, which takes a part of the time that looking at shapes does.
  bool hope_less(const search::CoverResult& cover) {
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
      double& hope = hopes_[{fresh[k].first, fresh[k].last}];
      any = any || least[k] > hope;
      hope = std::max(hope, least[k]);
    }
    return any;
  }

  [[nodiscard]] std::function<double(const Metrics&)> additive() const {
    return [this](const Metrics& m) { return cost::additive_score(how_.score, m); };
  }

  double hope_for(std::size_t first, std::size_t last) {
    {
      const std::lock_guard guard(hopes_lock_);
      const auto known = hopes_.find({first, last});
      if (known != hopes_.end()) return known->second;
    }
    const double hope = slack * candidates_.least_score({first, last}, additive());
    const std::lock_guard guard(hopes_lock_);
    return hopes_.try_emplace({first, last}, hope).first->second;
  }

  /// What is known is hoped for in any case: in one thread as it is asked about.
  void hope_together() {
    if (params_.threads < 2) return;
    std::vector<OpRange> fresh;
    for (std::size_t first = 0; first < problem_.ops; ++first)
      for (std::size_t last = first; last < problem_.ops && last - first < problem_.max_ops; ++last)
        if (!looked_.contains({first, last}) && !hopes_.contains({first, last}) &&
            candidates_.known({first, last}).first)
          fresh.push_back({first, last});
    each_together(params_.threads, fresh.size(),
                  [&](std::size_t k) { hope_for(fresh[k].first, fresh[k].last); });
  }

  /// The problem in which runs that nobody looked at cost as little as may be.
  [[nodiscard]] search::CoverProblem hopeful() {
    search::CoverProblem problem = problem_;
    const auto hope_for = [this](std::size_t first, std::size_t last,
                                 search::CoverCandidate& candidate) {
      if (looked_.contains({first, last})) return;
      const double hope = this->hope_for(first, last);
      for (search::CoverOption& option : candidate.options)
        option.cost = std::min(option.cost, hope);
    };
    problem.evaluate = [this, hope_for](std::size_t first, std::size_t last, int effort) {
      search::CoverCandidate candidate = problem_.evaluate(first, last, effort);
      hope_for(first, last, candidate);
      return candidate;
    };
    if (problem_.known)
      problem.known = [this, hope_for](std::size_t first, std::size_t last) {
        auto known = problem_.known(first, last);
        if (known) hope_for(first, last, known->first);
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

  /// What a run costs on a cover that peaks as this one does: peaks below that one are free.
  [[nodiscard]] ShapeGoal goal_of_cover() {
    ShapeGoal goal = shape_goal(how_.score, how_.limits, how_.most_shapes, peak());
    goal.last = stage_;
    return goal;
  }

  /// The same cover with what was found for its runs.
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

  /// What the plan would be, were it stopped now: run() would end with that.
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
  double bound_ = 0;  ///< of the cover that is made cheaper
  std::function<void(double, double, std::int64_t)> tell_;
  std::mutex told_lock_;
  std::chrono::steady_clock::time_point told_{};
  Runs looked_;
  Runs bounded_;  ///< those of which the hope is the least that their shapes promise
  std::mutex hopes_lock_;
  std::map<std::pair<std::size_t, std::size_t>, double> hopes_;  ///< no tiles cost less
  ShapeGoal::Stage stage_ = ShapeGoal::Stage::plain;
  bool changed_ = false;  ///< there are options that no cover was made of
  struct Cost {
    double before = 0;  ///< with the fewest tiles,
    double now = 0;     ///< and with all that were found
  };
  std::map<std::pair<std::size_t, std::size_t>, Cost> costs_;  ///< of runs that were looked at
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
