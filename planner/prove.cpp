#include "planner/prove.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "cost/run_bound.h"
#include "model/parallel.h"
#include "model/poll.h"
#include "planner/cheaper.h"
#include "search/partition/run_kinds.h"

namespace tessera::planner {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Sums in another order may differ by a hair.
constexpr double hair = 1 - 1e-9;
/// Of a cover and what was found out of its runs.
constexpr int most_proof_rounds = 400;

/// As a rule not all shapes that might matter have to be looked at; where there are so many times
/// those that may be, there is no hope.
constexpr std::int64_t most_ahead_of_left = 4;

std::int64_t shapes_in(const search::ShapeGroup& group) {
  std::int64_t shapes = 1;
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
    shapes *= group.most[axis] - group.least[axis] + 1;
  return shapes;
}

/// A tiling of a run as a part of covers.
struct TilingChoice {
  double cost = 0;  ///< beside its peak, at least
  Size peak = 0;    ///< at least
  Tiling tiling{};
  std::optional<std::size_t> option{};  ///< of the candidates: it was placed,
  Size placed = 0;                      ///< and so high
  bool open = false;                    ///< nobody can say whether there is such a tiling
};

/// Tilings of a run that nobody looked at one by one.
struct Group {
  double cost = 0;  ///< beside its peak, at least
  Size peak = 0;    ///< at least
  TilingGroup tilings{};
  bool looked = false;
};

enum class Known : std::uint8_t { nothing, bound, groups };

struct Run {
  double least = never;    ///< no tiling costs less, beside its peak
  std::int64_t early = 0;  ///< it may be so many cycles quicker
  Known known = Known::nothing;
  std::vector<Group> groups;  ///< those of one variant in a row
  std::vector<TilingChoice> ways;
  /// To covers: those ways and groups that no other costs and peaks less than.
  std::vector<search::CoverOption> options{};
  std::vector<std::size_t> offered{};  ///< which they are: ways, and behind them groups
  bool changed = true;                 ///< since they were found

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
        // Runs of a kind differ by weights alone that may come early: those of the first run not.
        run.least = std::min(run.least, problem.bound(first, last).cost);
        if (params.early) run.early = std::max(run.early, params.early(first, last));
      }
  }

  Proof run() {
    Proof proof;
    for (int round = 0;; ++round) {
      const search::CoverResult cover = best_cover();
      proof.stop = cover.stop;
      const bool none = cover.status == Status::infeasible || cover.objective >= below_ * hair;
      if (none && cover.stop == StopReason::completed) {
        proof.proved = true;
        proof.bound = below_;
        return proof;
      }
      proof.bound = std::min(std::max(proof.bound, cover.bound), below_);
      if (cover.stop != StopReason::completed) return proof;
      if (round == most_proof_rounds || !goes_on(cover)) {
        // Nobody knows what would have been found out without the limit.
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

  /// With everything as cheap as it may be for all that is known.
  [[nodiscard]] search::CoverResult best_cover() {
    search::CoverProblem hopeful;
    hopeful.ops = problem_.ops;
    hopeful.like = problem_.like;
    hopeful.max_ops = problem_.max_ops;
    hopeful.peak_weight = per_byte_;
    hopeful.bound = [&](std::size_t first, std::size_t last) {
      const double least = run_of(first, last).least;
      return search::CoverBound{.cost = least, .impossible = least == never};
    };
    hopeful.evaluate = [&](std::size_t first, std::size_t last, int) {
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
    return search::best_cover(hopeful, {.budget = budget_, .worth_below = below_});
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

  /// Finds out more of what the cover hopes for. False: that is all that can be.
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

  /// What everything but the run costs at least, in the cover that is best for it.
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
    return rest * hair;
  }

  /// What each of them costs at least, in the tiles that are best for it.
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
      run.least = std::max(run.least, least[k] * hair);
      run.known = Known::bound;
    }
  }

  /// What no tiling of a run costs less than, and what is less by weights that come early.
  struct Floor {
    Metrics least;
    std::int64_t early = 0;
    double early_pj = 0;
  };
  [[nodiscard]] Floor least_of(const OpRange& ops) {
    const std::int64_t early = run_of(ops.first, ops.last).early;
    // Others of its kind may be early where this one, the network's first, is not.
    const bool known = params_.least && (early == 0 || ops.first > 0);
    return {known ? params_.least(ops.first, ops.last) : Metrics{}, early,
            params_.idle_pj * static_cast<double>(early)};
  }
  /// Of what adds up, in every respect.
  [[nodiscard]] static Metrics no_less(Metrics m, const Floor& of_run) {
    const Metrics& floor = of_run.least;
    m.latency_cycles -= of_run.early;
    m.energy_pj -= of_run.early_pj;
    m.latency_cycles = std::max(m.latency_cycles, floor.latency_cycles);
    m.energy_pj = std::max(m.energy_pj, floor.energy_pj);
    m.dram_bytes = std::max(m.dram_bytes, floor.dram_bytes);
    return m;
  }

  /// What a cover with the tiling scores at least.
  [[nodiscard]] Candidates::ScoreOf whole(const OpRange& ops, double rest) {
    return [this, rest, floor = least_of(ops)](const Metrics& m) {
      return params_.limits.allow(m) ? rest + additive(no_less(m, floor)) +
                                           per_byte_ * static_cast<double>(m.peak_bytes)
                                     : never;
    };
  }

  /// The tilings of each that may be of use, in groups. What the others cost is what is known of
  /// them beforehand, so that threads change nothing but the time.
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
      Group group{.cost = std::max(run.least, additive(no_less(tilings.least, floor)) * hair),
                  .peak = tilings.least.peak_bytes};
      group.tilings = std::move(tilings);
      run.groups.push_back(std::move(group));
    }
    if (all.open < never) {
      // Its peak may be all of the memory.
      const double most = per_byte_ * static_cast<double>(params_.largest_peak);
      run.ways.push_back({.cost = std::max(run.least, all.open - rest - most), .open = true});
    }
    run.find_least();
    run.known = Known::groups;
  }

  /// One by one at those tilings that the cover hopes for, and at others that are hardly dearer and
  /// peak no higher. Nothing: it hopes for none. False: that is all that can be.
  std::optional<bool> look_into_groups(const search::CoverResult& cover) {
    Size peak = 0;
    std::vector<std::pair<OpRange, double>> hopes;
    for (const search::CoverRun& part : cover.runs) {
      const Run& run = run_of(part.first, part.last);
      const std::size_t at = run.offered[part.option];
      const bool grouped = at >= run.ways.size();
      const std::size_t k = at - (grouped ? run.ways.size() : 0);
      peak = std::max(peak, grouped ? run.groups[k].peak : run.ways[k].peak);
      if (!grouped && run.ways[k].open) return false;
      if (grouped) hopes.emplace_back(evaluated_run(part), run.groups[k].cost);
    }
    if (hopes.empty()) return std::nullopt;
    // What each of them may cost more before the cover is of no use.
    const double gap = below_ - cover.objective;
    std::int64_t ahead = 0;
    for (const auto& [ops, hope] : hopes)
      for (const Group& group : run_of(ops.first, ops.last).groups)
        if (!group.looked && group.cost <= hope + gap) ahead += shapes_in(group.tilings.group);
    if (ahead > most_ahead_of_left * left_) return false;
    const double step = gap / (2 * static_cast<double>(hopes.size()));
    for (const auto& [ops, hope] : hopes) {
      Run& run = run_of(ops.first, ops.last);
      std::vector<TilingGroup> now;
      for (Group& group : run.groups) {
        if (group.looked || group.cost > hope + step || (per_byte_ > 0 && group.peak > peak))
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

  /// The tilings that a cover is of. False: somebody cannot say whether they are there.
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

  /// Within `most`, or in as little as there may be for it.
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
    // Other places might cost less, or peak lower.
    way.open = !params_.limits.allow(m) || m.peak_bytes > most ||
               additive(no_less(m, least_of(ops))) * hair > way.cost;
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
