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
#include <utility>
#include <vector>

#include "model/crew.h"

namespace tessera::planner {
namespace {

/// Rounds in which runs that nobody looked at are taken for cheaper than they are known to be.
constexpr int hopeful_rounds = 12;
/// Each is a search for the best cover, in the square of the ops.
constexpr std::size_t most_hopeful_ops = 200;
/// And this much cheaper still, so that what is better than the others is met.
constexpr double hope = 0.9;
/// In those rounds a run is looked at with this part of the shapes; with all, once it is on a best
/// cover.
constexpr std::int64_t glance_part = 4;

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
    for (int round = 0; round < hopeful_rounds && !params_.budget.exhausted(); ++round) {
      const search::CoverResult hoped = search::best_cover(hopeful(), params_);
      if (hoped.status != Status::feasible ||
          !look_at(hoped, glanced_, how_.most_shapes / glance_part))
        return;
      settle();
    }
  }

  /// Until the best cover has only runs that were looked at.
  void settle() {
    while (!params_.budget.exhausted()) {
      look_at(result_, seen_, how_.most_shapes);
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
  bool look_at(const search::CoverResult& cover, Runs& known, std::int64_t shapes) {
    std::vector<OpRange> fresh;
    for (const search::CoverRun& run : cover.runs) {
      const OpRange ops = evaluated_run(run);
      if (known.insert({ops.first, ops.last}).second) fresh.push_back(ops);
    }
    const ShapeGoal goal = goal_of_cover(shapes);
    for (const OpRange& ops : fresh)
      if (!costs_.contains({ops.first, ops.last})) {
        const double cost = least_cost(ops);
        costs_[{ops.first, ops.last}] = {cost, cost};
      }
    std::atomic<std::size_t> next{0};
    std::atomic<bool> changed{false};
    work_together(params_.threads, [&] {
      for (std::size_t k = next++; k < fresh.size(); k = next++) {
        if (candidates_.refine(fresh[k], goal)) changed = true;
        tell();
      }
    });
    changed_ = changed_ || changed;
    for (const OpRange& ops : fresh) costs_[{ops.first, ops.last}].now = least_cost(ops);
    return !fresh.empty();
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

  /// The problem in which runs that nobody looked at cost as much less as the others came to.
  [[nodiscard]] search::CoverProblem hopeful() {
    search::CoverProblem problem = problem_;
    double before = 0, now = 0;
    for (const auto& [run, cost] : costs_) {
      if (cost.now == std::numeric_limits<double>::infinity()) continue;
      before += cost.before;
      now += cost.now;
    }
    const double factor = hope * (before > 0 ? now / before : 1);
    const auto hope_for = [this, factor](std::size_t first, std::size_t last,
                                         search::CoverCandidate& candidate) {
      if (!seen_.contains({first, last}) && !glanced_.contains({first, last}))
        for (search::CoverOption& option : candidate.options) option.cost *= factor;
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
  [[nodiscard]] ShapeGoal goal_of_cover(std::int64_t shapes) {
    const cost::Score& score = how_.score;
    const PeakLimits& limits = how_.limits;
    const double per_byte = cost::peak_weight(score);
    const Size free = peak();
    std::ostringstream key;
    key << shapes << ' ' << (per_byte > 0 ? free : 0) << ' ' << std::hexfloat << per_byte;
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
            .most_shapes = shapes};
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
  Runs seen_;
  Runs glanced_;
  bool changed_ = false;  ///< there are options that no cover was made of
  struct Cost {
    double before = 0;  ///< with the fewest tiles,
    double now = 0;     ///< and with all that were found
  };
  std::map<std::pair<std::size_t, std::size_t>, Cost> costs_;  ///< of runs that were looked at
};

}  // namespace

void take_cheaper_tiles(Candidates& candidates, const search::CoverProblem& problem,
                        const search::CoverParams& params, const CheaperTiles& how,
                        search::CoverResult& result) {
  Cheaper(candidates, problem, params, how, result).run();
}

}  // namespace tessera::planner
