#include "planner/put_together.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cost/group_bound.h"
#include "cost/score.h"
#include "model/shared_work.h"
#include "planner/later_look.h"
#include "planner/peaks.h"
#include "planner/piece.h"
#include "planner/stay_items.h"
#include "search/partition/kept_cover.h"
#include "search/partition/structure.h"
#include "tiling/subgraph.h"

namespace tessera::planner {
namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();
/// Limit on repetitions that start from the result: the second rarely gains much.
constexpr int most_looks = 4;
/// Limit on paths in all: after so many failed estimates, the next one fails, too.
constexpr int most_paths = 200;
/// Limit on cost queries of one path: a fraction of a second.
constexpr std::int64_t most_asked = 1'000'000;

class PutTogether : LaterLook {
 public:
  PutTogether(const Network& network, const Hardware& hardware, const PlanParams& params,
              const NetworkPlan& plan, ShapeGoal::Stage last)
      : LaterLook(network, hardware, params, plan), last_(last), bounds_(network, hardware) {}

  [[nodiscard]] TogetherResult run(const Runs& best, std::span<const Runs* const> others) {
    for (const Runs* runs : others)
      for (const PlannedSubgraph& run : *runs) of_run_[range_of(run)];
    add_near(best);
    may_ = stay_items(network_, hardware_, on_chip_capacity(within_), runs_there_are(), most_asked);
    for (const Runs* runs : others) add(*runs);
    TogetherResult result;
    for (int look = 0; look < most_looks; ++look) {
      std::optional<Runs> better = better_than(look == 0 ? best : *result.runs);
      if (!better) break;
      result.runs = std::move(better);
    }
    result.solved = solved_;
    return result;
  }

 private:
  using Range = std::pair<OpIndex, OpIndex>;  ///< first and last op
  using Kept = std::vector<std::size_t>;      ///< items, sorted
  /// A group with a set of resident items.
  struct Way {
    double cost = impossible;
    double bound = 0;
    std::optional<PlannedSubgraph> run{};  ///< empty: impossible
  };
  using Ways = std::map<Kept, Way>;

  [[nodiscard]] static Range range_of(const PlannedSubgraph& run) {
    return {run.ops.first, run.ops.last};
  }

  /// Adds variants of the plan's groups: begin or end one op earlier or later, or two groups
  /// joined.
  void add_near(const Runs& runs) {
    const auto near = [&](std::size_t cut) {
      std::vector<std::size_t> cuts{cut};
      if (cut > 0 && cut < network_.ops.size()) {
        cuts.push_back(cut - 1);
        cuts.push_back(cut + 1);
      }
      return cuts;
    };
    for (std::size_t k = 0; k < runs.size(); ++k)
      for (std::size_t end = k; end < std::min(runs.size(), k + 2); ++end)
        for (const std::size_t first : near(runs[k].ops.first))
          for (const std::size_t behind : near(runs[end].ops.last + 1))
            if (first < behind && behind - first <= params_.max_ops) of_run_[{first, behind - 1}];
  }

  [[nodiscard]] search::RunsOf runs_there_are() const {
    search::RunsOf runs{.ops = network_.ops.size(), .max_ops = params_.max_ops};
    runs.lasts.resize(runs.ops);
    for (const auto& [range, ways] : of_run_) runs.lasts[range.first].push_back(range.second);
    return runs;
  }

  void add(const Runs& runs) {
    for (const PlannedSubgraph& run : runs) {
      Ways& ways = of_run_[range_of(run)];
      const std::optional<Kept> kept = items_of(run);
      if (!kept) continue;
      Way way{cost_of(run), bound_of(range_of(run), *kept), run};
      Way& known = ways[*kept];
      if (way.cost < known.cost) known = std::move(way);
    }
  }
  /// Nothing if it keeps a tensor that is not an item.
  [[nodiscard]] std::optional<Kept> items_of(const PlannedSubgraph& run) const {
    Kept kept;
    for (const TensorIndex t : kept_tensors(network_, run)) {
      const auto at = std::ranges::lower_bound(may_.tensors, t);
      if (at == may_.tensors.end() || *at != t) return std::nullopt;
      kept.push_back(static_cast<std::size_t>(at - may_.tensors.begin()));
    }
    std::ranges::sort(kept);
    return kept;
  }

  /// Peaks up to that of the best plan are not charged.
  [[nodiscard]] double cost_of(const PlannedSubgraph& run) const {
    if (!limits_.allow(run.metrics)) return impossible;
    const Size above = std::max<Size>(0, run.metrics.peak_bytes - free_);
    return cost::additive_score(score_, run.metrics) +
           cost::peak_weight(score_) * static_cast<double>(above);
  }
  [[nodiscard]] double bound_of(Range range, const Kept& kept) {
    std::vector<TensorIndex> tensors;
    for (const std::size_t k : kept) tensors.push_back(may_.tensors[k]);
    return cost::additive_score(score_, bounds_.of(range.first, range.second, tensors));
  }

  [[nodiscard]] std::optional<Runs> better_than(const Runs& best) {
    set_out_from(best);
    double known = 0;
    for (const PlannedSubgraph& run : best) known += cost_of(run);
    search::KeptCoverProblem problem{
        .runs = runs_there_are(), .items = may_.items, .capacities = {on_chip_capacity(within_)}};
    problem.cost = [this](std::size_t first, std::size_t last, std::span<const std::size_t> kept) {
      return estimated_cost(of_run_.at({first, last}), {first, last},
                            Kept(kept.begin(), kept.end()));
    };
    while (paths_++ < most_paths) {
      const std::vector<search::KeptCover> covers = search::kept_covers(problem, budget_);
      if (covers.empty() || covers.front().cost >= known * less) break;
      std::vector<search::KeptRun> fresh;
      for (const search::KeptRun& run : covers.front().runs)
        if (!of_run_.at({run.first, run.last}).contains(run.kept)) fresh.push_back(run);
      tile(fresh);
      if (budget_.exhausted()) break;
      if (!fresh.empty()) continue;
      if (std::optional<Runs> runs = placed(covers.front(), best)) return runs;
    }
    return std::nullopt;
  }

  /// Recomputes all costs relative to the best plan.
  void set_out_from(const Runs& best) {
    free_ = peak_of(best);
    for (auto& [range, ways] : of_run_)
      for (auto& [kept, way] : ways)
        if (way.run) way.cost = cost_of(*way.run);
    add(best);
    add_near(best);
    shares_.clear();
    for (const PlannedSubgraph& run : best) {
      const double bound = bound_of(range_of(run), {});
      shares_.resize(run.ops.last + 1, bound > 0 ? cost_of(run) / bound : 1);
    }
  }

  /// Cost of the group if known, else an estimate.
  [[nodiscard]] double estimated_cost(const Ways& ways, Range range, const Kept& kept) {
    if (const auto known = ways.find(kept); known != ways.end()) return known->second.cost;
    const double bound = bound_of(range, kept);
    double least = impossible;
    for (const auto& [other, way] : ways)
      if (way.run) least = std::min(least, way.cost + bound - way.bound);
    if (least < impossible) return std::max(least, bound);
    // The bound, scaled by the least ratio of cost to bound in the best plan.
    const auto shares = std::span(shares_).subspan(range.first, range.second - range.first + 1);
    return bound * std::ranges::min(shares);
  }

  void tile(const std::vector<search::KeptRun>& fresh) {
    std::vector<Way> found(fresh.size());
    const auto stays_of = [&](const search::KeptRun& run) {
      std::vector<TensorIndex> stays;
      for (const std::size_t item : run.kept) stays.push_back(may_.tensors[item]);
      return stays;
    };
    std::vector<std::string> structures;
    for (const search::KeptRun& run : fresh)
      structures.push_back(search::structure_key(tiling::make_subgraph(
          network_, {run.first, run.last}, readers_, within_, stays_of(run))));
    std::vector<std::int64_t> solved(fresh.size(), 0);
    each_sharing({.threads = params_.limits.threads}, structures,
                 [&](std::size_t k, SharedWork& shared) {
                   if (budget_.exhausted()) return;
                   Candidates candidates(network_, within_, candidates_with(stays_of(fresh[k])),
                                         params_.memory);
                   found[k].run =
                       best_run(candidates, {fresh[k].first, fresh[k].last}, free_, last_, &shared);
                   solved[k] = candidates.counts().solved;
                 });
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      const Range range{fresh[k].first, fresh[k].last};
      if (found[k].run) found[k].cost = cost_of(*found[k].run);
      found[k].bound = bound_of(range, fresh[k].kept);
      solved_ += solved[k];
      of_run_[range].emplace(fresh[k].kept, std::move(found[k]));
    }
  }

  [[nodiscard]] std::optional<Runs> placed(const search::KeptCover& cover, const Runs& best) {
    Runs runs;
    for (const search::KeptRun& run : cover.runs)
      runs.push_back(*of_run_.at({run.first, run.last}).at(run.kept).run);
    const double before = score_of(best) * less;
    if (score_of(runs) < before && settle(runs, 0, runs.size() - 1) && score_of(runs) < before)
      return runs;
    // The joint placement fails or has a higher peak: exclude the group with the highest peak.
    const auto highest = std::ranges::max_element(
        runs, {}, [](const PlannedSubgraph& run) { return run.metrics.peak_bytes; });
    const search::KeptRun& run = cover.runs[static_cast<std::size_t>(highest - runs.begin())];
    of_run_.at({run.first, run.last}).at(run.kept) = {};
    return std::nullopt;
  }

  ShapeGoal::Stage last_;
  cost::GroupBounds bounds_;
  StayItems may_;                 ///< distinguished items
  std::map<Range, Ways> of_run_;  ///< groups allowed in partitions
  Size free_ = 0;                 ///< peaks up to this are not charged
  std::vector<double> shares_;    ///< per op: cost over bound of its group in the best plan
  int paths_ = 0;
  std::int64_t solved_ = 0;
};

}  // namespace

TogetherResult put_together(const Network& network, const Hardware& hardware,
                            const PlanParams& params, const NetworkPlan& plan, const Runs& best,
                            std::span<const Runs* const> others, ShapeGoal::Stage last) {
  return PutTogether(network, hardware, params, plan, last).run(best, others);
}

}  // namespace tessera::planner
