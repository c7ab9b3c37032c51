#include "planner/prove.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "cost/group_bound.h"
#include "model/parallel.h"
#include "model/poll.h"
#include "planner/shape_goal.h"
#include "search/partition/run_kinds.h"

namespace tessera::planner {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Limit on rounds of a partition search and the refinement of its groups.
constexpr int most_proof_rounds = 400;

/// Usually a fraction of the relevant shapes suffices. The proof stops if they exceed the remaining
/// limit by this factor.
constexpr std::int64_t most_ahead_of_left = 4;

std::int64_t shapes_in(const search::ShapeGroup& group) {
  std::int64_t shapes = 1;
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
    shapes *= group.most[axis] - group.least[axis] + 1;
  return shapes;
}

/// A tiling of a group as an option of partitions.
struct TilingChoice {
  double cost = 0;  ///< lower bound, without the peak
  Size peak = 0;    ///< lower bound
  Tiling tiling{};
  std::optional<std::size_t> option{};  ///< index of the placed option of the candidates
  Size placed = 0;                      ///< its peak
  bool open = false;                    ///< undecided whether the tiling exists
};

/// Tilings of a group that were not evaluated one by one.
struct Group {
  double cost = 0;  ///< lower bound, without the peak
  Size peak = 0;    ///< lower bound
  TilingGroup tilings{};
  bool looked = false;
};

enum class Known : std::uint8_t { nothing, bound, groups };

struct Run {
  double least = never;    ///< lower bound of all tilings, without the peak
  std::int64_t early = 0;  ///< maximum cycles saved by prefetch
  Known known = Known::nothing;
  std::vector<Group> groups;  ///< ordered by variant
  std::vector<TilingChoice> ways;
  /// Options for partitions: tilings and groups not dominated in cost and peak.
  std::vector<search::CoverOption> options{};
  std::vector<std::size_t> offered{};  ///< their indices: tilings, then groups
  bool changed = true;                 ///< since `options` was computed

  void find_least() {
    double now = never;
    for (const Group& group : groups)
      if (!group.looked) now = std::min(now, group.cost);
    for (const TilingChoice& way : ways) now = std::min(now, way.cost);
    least = std::max(least, now);
  }
};

class Prover {
 public:
  Prover(Candidates& candidates, const search::CoverProblem& problem, const ProofParams& params,
         const Budget& budget, search::CoverResult& result)
      : candidates_(candidates),
        problem_(problem),
        params_(params),
        budget_(budget),
        result_(result),
        below_(params.below),
        left_(params.most_shapes),
        longest_(std::min(problem.max_ops, problem.ops)),
        per_byte_(problem.peak_weight) {
    Poll poll(budget);
    kinds_ = search::RunKinds(problem.ops, problem.like, longest_, poll);
    runs_.resize(kinds_.count());
    for (std::size_t first = 0; first < problem.ops; ++first)
      for (std::size_t last = first; last < end_of(first); ++last) {
        poll();
        Run& run = run_of(first, last);
        // Groups of one kind may differ in prefetched weights: the first group of the network has
        // none.
        run.least = std::min(run.least, problem.bound(first, last).cost);
        if (params.early) run.early = std::max(run.early, params.early(first, last));
      }
  }

  Proof run() {
    Proof proof;
    for (int round = 0;; ++round) {
      const search::CoverResult cover = best_cover();
      proof.stop = cover.stop;
      const bool none =
          cover.status == Status::infeasible || cover.objective >= below_ * cost::rounding;
      if (none && cover.stop == StopReason::completed) {
        proof.proved = true;
        proof.bound = below_;
        return proof;
      }
      proof.bound = std::min(std::max(proof.bound, cover.bound), below_);
      if (cover.stop != StopReason::completed) return proof;
      if (round == most_proof_rounds || !goes_on(cover)) {
        // The result of the missing work is unknown.
        proof.stop = budget_.exhausted().value_or(StopReason::completed);
        return proof;
      }
    }
  }

 private:
  [[nodiscard]] std::size_t end_of(std::size_t first) const {
    return std::min(problem_.ops, first + longest_);
  }
  [[nodiscard]] Run& run_of(std::size_t first, std::size_t last) {
    return runs_[kinds_.of(first, last)];
  }
  [[nodiscard]] double additive(const Metrics& m) const {
    return cost::additive_score(params_.score, m);
  }

  /// The best partition under the current lower bounds.
  [[nodiscard]] search::CoverResult best_cover() {
    search::CoverProblem relaxed;
    relaxed.ops = problem_.ops;
    relaxed.like = problem_.like;
    relaxed.max_ops = problem_.max_ops;
    relaxed.peak_weight = per_byte_;
    relaxed.bound = [&](std::size_t first, std::size_t last) {
      const double least = run_of(first, last).least;
      return search::CoverBound{.cost = least, .impossible = least == never};
    };
    relaxed.evaluate = [&](std::size_t first, std::size_t last, int) {
      Run& run = run_of(first, last);
      search::CoverCandidate candidate;
      if (run.known != Known::groups) {
        candidate.options.push_back({.cost = run.least});
        return candidate;
      }
      if (std::exchange(run.changed, false)) offer(run);
      candidate.options = run.options;
      return candidate;
    };
    return search::best_cover(relaxed, {.budget = budget_, .worth_below = below_});
  }

  static void offer(Run& run) {
    run.options.clear();
    run.offered.clear();
    struct Offer {
      double cost;
      Size peak;
      std::size_t at;
    };
    std::vector<Offer> all;
    for (std::size_t k = 0; k < run.ways.size(); ++k)
      all.push_back({run.ways[k].cost, run.ways[k].peak, k});
    for (std::size_t k = 0; k < run.groups.size(); ++k)
      if (!run.groups[k].looked)
        all.push_back({run.groups[k].cost, run.groups[k].peak, run.ways.size() + k});
    std::ranges::sort(all, {},
                      [](const Offer& each) { return std::tuple(each.cost, each.peak, each.at); });
    Size lowest = std::numeric_limits<Size>::max();
    for (const Offer& each : all) {
      if (each.peak >= lowest) continue;
      lowest = each.peak;
      run.offered.push_back(each.at);
      run.options.push_back({each.cost, each.peak});
    }
  }

  /// Refines the bounds that the partition uses. False if no refinement is possible.
  bool goes_on(const search::CoverResult& cover) {
    std::vector<OpRange> runs;
    for (const search::CoverRun& run : cover.runs) {
      const OpRange ops = evaluated_run(run);
      const auto same = [&](const OpRange& other) {
        return other.first == ops.first && other.last == ops.last;
      };
      if (std::ranges::none_of(runs, same)) runs.push_back(ops);
    }
    for (const Known stage : {Known::nothing, Known::bound}) {
      std::vector<OpRange> fresh;
      for (const OpRange& ops : runs)
        if (run_of(ops.first, ops.last).known == stage) fresh.push_back(ops);
      if (fresh.empty()) continue;
      if (stage == Known::nothing)
        bound(fresh);
      else
        list(fresh);
      return !budget_.exhausted();
    }
    const std::optional<bool> looked = look_into_groups(cover);
    return looked ? *looked : place(cover);
  }

  /// Lower bound of everything but the group, in the best partition for it.
  [[nodiscard]] double rest_of(const OpRange& ops) {
    const std::size_t n = problem_.ops;
    std::vector<double> before(n + 1, never);
    std::vector<double> after(n + 1, never);
    before[0] = after[n] = 0;
    for (std::size_t first = 0; first < n; ++first)
      for (std::size_t last = first; last < end_of(first); ++last)
        before[last + 1] = std::min(before[last + 1], before[first] + run_of(first, last).least);
    for (std::size_t first = n; first-- > 0;)
      for (std::size_t last = first; last < end_of(first); ++last)
        after[first] = std::min(after[first], run_of(first, last).least + after[last + 1]);
    const std::uint32_t kind = kinds_.of(ops.first, ops.last);
    const std::size_t length = ops.last - ops.first;
    double rest = never;
    for (std::size_t first = 0; first + length < n; ++first)
      if (kinds_.of(first, first + length) == kind)
        rest = std::min(rest, before[first] + after[first + length + 1]);
    return rest * cost::rounding;
  }

  /// Lower bounds of the groups over all tilings.
  void bound(const std::vector<OpRange>& fresh) {
    std::vector<Floor> floors;
    for (const OpRange& ops : fresh) floors.push_back(least_of(ops));
    std::vector<double> least(fresh.size());
    each_together(params_.threads, fresh.size(), [&](std::size_t k) {
      least[k] = candidates_.least_of_all(fresh[k], [&](const Metrics& m) {
        return params_.limits.allow(m) ? additive(no_less(m, floors[k])) : never;
      });
    });
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      Run& run = run_of(fresh[k].first, fresh[k].last);
      run.least = std::max(run.least, least[k] * cost::rounding);
      run.known = Known::bound;
    }
  }

  /// Lower bound of all tilings of a group, and the savings by prefetched weights.
  struct Floor {
    Metrics least;
    std::int64_t early = 0;
    double early_pj = 0;
  };
  [[nodiscard]] Floor least_of(const OpRange& ops) {
    const std::int64_t early = run_of(ops.first, ops.last).early;
    // Other groups of this kind may have prefetched weights; this one is first in the network.
    const bool known = params_.least && (early == 0 || ops.first > 0);
    return {known ? params_.least(ops.first, ops.last) : Metrics{}, early,
            params_.idle_pj * static_cast<double>(early)};
  }
  /// Raises each additive metric to its lower bound.
  [[nodiscard]] static Metrics no_less(Metrics m, const Floor& of_run) {
    const Metrics& floor = of_run.least;
    m.latency_cycles -= of_run.early;
    m.energy_pj -= of_run.early_pj;
    m.latency_cycles = std::max(m.latency_cycles, floor.latency_cycles);
    m.energy_pj = std::max(m.energy_pj, floor.energy_pj);
    m.dram_bytes = std::max(m.dram_bytes, floor.dram_bytes);
    return m;
  }

  /// Lower bound of the score of a partition with the tiling.
  [[nodiscard]] Candidates::ScoreOf whole(const OpRange& ops, double rest) {
    return [this, rest, floor = least_of(ops)](const Metrics& m) {
      return params_.limits.allow(m) ? rest + additive(no_less(m, floor)) +
                                           per_byte_ * static_cast<double>(m.peak_bytes)
                                     : never;
    };
  }

  /// Lists the useful tilings of each group, in groups of tilings. The cost of the other groups is
  /// fixed before, so that threads do not change the result.
  void list(const std::vector<OpRange>& fresh) {
    std::vector<double> rests;
    std::vector<Candidates::ScoreOf> scores;
    for (const OpRange& ops : fresh) {
      rests.push_back(rest_of(ops));
      scores.push_back(whole(ops, rests.back()));
    }
    std::vector<TilingGroups> all(fresh.size());
    each_together(params_.threads, fresh.size(), [&](std::size_t k) {
      all[k] = candidates_.tiling_groups(fresh[k], scores[k], below_);
    });
    for (std::size_t k = 0; k < fresh.size(); ++k) add(fresh[k], rests[k], std::move(all[k]));
  }

  void add(const OpRange& ops, double rest, TilingGroups all) {
    Run& run = run_of(ops.first, ops.last);
    const Floor floor = least_of(ops);
    for (TilingGroup& tilings : all.groups) {
      Group group{
          .cost = std::max(run.least, additive(no_less(tilings.least, floor)) * cost::rounding),
          .peak = tilings.least.peak_bytes};
      group.tilings = std::move(tilings);
      run.groups.push_back(std::move(group));
    }
    if (all.open < never) {
      // Its peak may be the whole memory.
      const double most = per_byte_ * static_cast<double>(params_.largest_peak);
      run.ways.push_back({.cost = std::max(run.least, all.open - rest - most), .open = true});
    }
    run.find_least();
    run.known = Known::groups;
  }

  /// Evaluates the tilings that the partition uses one by one, and others with nearly the same cost
  /// and no higher peak. Nothing: all are evaluated. False: no refinement is possible.
  std::optional<bool> look_into_groups(const search::CoverResult& cover) {
    Size peak = 0;
    std::vector<std::pair<OpRange, double>> used;
    for (const search::CoverRun& part : cover.runs) {
      const Run& run = run_of(part.first, part.last);
      const std::size_t at = run.offered[part.option];
      const bool grouped = at >= run.ways.size();
      const std::size_t k = at - (grouped ? run.ways.size() : 0);
      peak = std::max(peak, grouped ? run.groups[k].peak : run.ways[k].peak);
      if (!grouped && run.ways[k].open) return false;
      if (grouped) used.emplace_back(evaluated_run(part), run.groups[k].cost);
    }
    if (used.empty()) return std::nullopt;
    // Maximum cost increase before the partition is of no use.
    const double gap = below_ - cover.objective;
    std::int64_t ahead = 0;
    for (const auto& [ops, cost] : used)
      for (const Group& group : run_of(ops.first, ops.last).groups)
        if (!group.looked && group.cost <= cost + gap) ahead += shapes_in(group.tilings.group);
    if (ahead > most_ahead_of_left * left_) return false;
    const double step = gap / (2 * static_cast<double>(used.size()));
    for (const auto& [ops, cost] : used) {
      Run& run = run_of(ops.first, ops.last);
      std::vector<TilingGroup> now;
      for (Group& group : run.groups) {
        if (group.looked || group.cost > cost + step || (per_byte_ > 0 && group.peak > peak))
          continue;
        group.looked = true;
        now.push_back(group.tilings);
      }
      const Floor floor = least_of(ops);
      const auto found = candidates_.tilings_in(now, ops, whole(ops, rest_of(ops)), below_, left_);
      if (!found) return false;
      run.changed = true;
      for (const Tiling& tiling : *found) {
        TilingChoice way{.cost = std::max(run.least, additive(no_less(tiling.least, floor))),
                         .peak = tiling.least.peak_bytes};
        way.tiling = tiling;
        run.ways.push_back(std::move(way));
      }
      run.find_least();
    }
    return true;
  }

  /// Places the tilings of a partition. False if some tiling is undecided.
  bool place(const search::CoverResult& cover) {
    const auto way_of = [&](const search::CoverRun& part) -> TilingChoice& {
      Run& run = run_of(part.first, part.last);
      return run.ways[run.offered[part.option]];
    };
    Size peak = per_byte_ > 0 ? 0 : params_.largest_peak;
    for (const search::CoverRun& part : cover.runs) {
      if (way_of(part).open) return false;
      peak = std::max(peak, way_of(part).peak);
    }
    bool all = true;
    for (const search::CoverRun& part : cover.runs) {
      TilingChoice& way = way_of(part);
      if (!way.option || way.placed > peak) {
        place(evaluated_run(part), way, peak);
        run_of(part.first, part.last).changed = true;
      }
      all = all && !way.open && way.option && way.placed <= peak;
    }
    if (budget_.exhausted()) return false;
    if (all && params_.early) return false;
    if (all) take(cover);
    return true;
  }

  /// Places within `most`, else finds the least peak by bisection.
  void place(const OpRange& ops, TilingChoice& way, Size most) {
    Status said = place_within(ops, way, most);
    if (said != Status::infeasible) return;
    Size fails = most;
    if (most < params_.largest_peak) said = place_within(ops, way, params_.largest_peak);
    if (said == Status::infeasible) way.cost = never;
    while (said == Status::feasible && !way.open && fails + 1 < way.placed) {
      const Size middle = fails + (way.placed - fails) / 2;
      const Status there = place_within(ops, way, middle);
      if (there == Status::unknown) break;
      if (there == Status::infeasible) fails = middle;
    }
    way.peak = fails + 1;
  }

  Status place_within(const OpRange& ops, TilingChoice& way, Size most) {
    const Candidates::Placed placed = candidates_.place(ops, way.tiling, most);
    if (placed.status == Status::unknown) way.open = true;
    if (placed.status != Status::feasible) return placed.status;
    const Metrics& m = candidates_.answer(ops)->options[placed.option].metrics;
    way.option = placed.option;
    way.placed = m.peak_bytes;
    // Other placements may cost less or peak lower.
    way.open = !params_.limits.allow(m) || m.peak_bytes > most ||
               additive(no_less(m, least_of(ops))) * cost::rounding > way.cost;
    return placed.status;
  }

  void take(const search::CoverResult& cover) {
    search::CoverResult better = cover;
    Size peak = 0;
    better.objective = 0;
    for (search::CoverRun& part : better.runs) {
      const Run& run = run_of(part.first, part.last);
      part.option = *run.ways[run.offered[part.option]].option;
      const Metrics& m = candidates_.answer(evaluated_run(part))->options[part.option].metrics;
      better.objective += additive(m);
      peak = std::max(peak, m.peak_bytes);
    }
    better.objective += per_byte_ * static_cast<double>(peak);
    if (better.objective >= below_) {
      below_ = std::min(below_, better.objective);
      return;
    }
    below_ = better.objective;
    result_.runs = std::move(better.runs);
    result_.objective = better.objective;
    result_.status = Status::feasible;
  }

  Candidates& candidates_;
  const search::CoverProblem& problem_;
  const ProofParams& params_;
  Budget budget_;
  search::CoverResult& result_;
  double below_;
  std::int64_t left_;
  std::size_t longest_;
  double per_byte_;
  search::RunKinds kinds_;
  std::vector<Run> runs_;
};

}  // namespace

Proof prove(Candidates& candidates, const search::CoverProblem& problem, const ProofParams& params,
            const Budget& budget, search::CoverResult& result) {
  try {
    return Prover(candidates, problem, params, budget, result).run();
  } catch (const BudgetEnded& ended) {
    return {.stop = ended.reason};
  }
}

}  // namespace tessera::planner
