#include "planner/residency.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cost/group_bound.h"
#include "cost/score.h"
#include "model/parallel.h"
#include "model/shared_work.h"
#include "model/stored.h"
#include "planner/candidates.h"
#include "planner/describe.h"
#include "planner/later_look.h"
#include "planner/peaks.h"
#include "planner/planning.h"
#include "planner/put_together.h"
#include "tiling/joined.h"
#include "tiling/subgraph.h"
#include "validation/limited_budget.h"

namespace tessera::planner {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Passes over all tensors: a decision changes the value of others.
constexpr int most_passes = 4;
/// Up to this many tensors in a short network, all sets are tried, each with its best partition.
constexpr std::size_t few_tensors = 4;
/// The descent ends after this many memory sizes without improvement.
constexpr int most_in_vain = 2;
/// Number of plans with nearly the best score that are kept for later phases. Short networks keep
/// more and worse ones.
constexpr std::size_t most_nearly = 2;
constexpr std::size_t most_in_short = 6;
constexpr double good_in_short = 1.3;
/// A tensor is small if this many of its size fit in the memory.
constexpr Size share_of_small = 4;

class Residency : LaterLook {
 public:
  Residency(const Network& network, const Hardware& hardware, const PlanParams& params,
            bool wants_nearly, bool side_by_side, std::span<const NetworkPlan> others,
            const NetworkPlan& plan)
      : LaterLook(network, hardware, params, plan),
        others_(others),
        wants_nearly_(wants_nearly),
        side_by_side_(side_by_side),
        may_(tiling::may_stay(network, readers_)) {
    const Size room = on_chip_capacity(within_);
    may_ = up_to(room);
    small_ = up_to(room / share_of_small);
    levels_ = tries_levels(params, hardware);
    all_sets_ = may_.empty() || (may_.size() <= few_tensors && network.ops.size() <= few_ops);
    if (network.ops.size() <= few_ops) {
      most_nearly_ = most_in_short;
      good_ = good_in_short;
    }
  }

  /// False if no resident tensor pays off.
  bool improve(NetworkPlan& plan) {
    if (may_.empty()) return false;
    const bool better = look(plan);
    if (const auto why = budget_.exhausted()) stop_ = *why;
    return better;
  }

  /// All subsets, if few enough tensors may be resident.
  [[nodiscard]] std::vector<std::vector<TensorIndex>> all_sets() const {
    std::vector<std::vector<TensorIndex>> sets;
    if (!all_sets_) return sets;
    for (std::uint64_t set = 0; set < std::uint64_t{1} << may_.size(); ++set) {
      std::vector<TensorIndex>& stays = sets.emplace_back();
      for (std::size_t k = 0; k < may_.size(); ++k)
        if ((set >> k & 1U) != 0) stays.push_back(may_[k]);
    }
    return sets;
  }
  /// Lower bound of fewest-tile partitions with the sets that were tried, if these are all sets and
  /// no other tiles are searched.
  [[nodiscard]] double fewest_bound() const { return fewest_bound_; }
  /// The limit that ended the search early, if any.
  [[nodiscard]] StopReason stop() const { return stop_; }

  [[nodiscard]] std::vector<NetworkPlan> nearly() { return std::move(nearly_); }
  [[nodiscard]] std::int64_t solved() const { return solved_; }

 private:
  struct State {
    std::vector<PlannedSubgraph> runs;
    std::vector<TensorIndex> stays;  ///< sorted
    double score = infinity;
  };

  bool look(NetworkPlan& plan) {
    // Excludes fetches from a backing memory, which hardly differ.
    State best{plan.subgraphs, {}, score_of(plan.subgraphs)};
    const Budget whole = budget_;
    // Recombining results gains more per time than further starts.
    budget_ = validation::without_last(8, whole);
    std::vector<State> found =
        all_sets_ ? std::vector{best_of_every_set(best)} : from_all_starts(std::move(best));
    std::vector<State> others = from_others();
    if (const auto why = budget_.exhausted()) stop_ = *why;
    budget_ = whole;
    // One after the other: more groups make more estimates fail.
    if (!all_sets_ || no_place_) put_together_of(plan.subgraphs, {}, plan, found);
    if (!others.empty()) put_together_of(plan.subgraphs, others, plan, found);
    for (State& each : others)
      if (network_.ops.size() <= few_ops || found.empty() ||
          each.score < std::ranges::min(found, {}, &State::score).score)
        found.push_back(std::move(each));
    // The best state may not fit off chip, or another one may wait less for fetches.
    bool better = false;
    while (!found.empty()) {
      auto least = found.begin();
      for (auto each = found.begin(); each != found.end(); ++each)
        if (each->score < least->score * less) least = each;
      better = take(*least, plan) || better;
      found.erase(least);
    }
    keep_nearly(plan.score);
    return better;
  }

  /// Starts: the groups of the plan, and the best partitions with different sets of resident
  /// tensors. The starts are independent, so they run in parallel.
  [[nodiscard]] std::vector<State> from_all_starts(State best) {
    std::vector<std::vector<TensorIndex>> sets;
    const auto add = [&](std::vector<TensorIndex> stays) {
      if (std::ranges::find(sets, stays) == sets.end()) sets.push_back(std::move(stays));
    };
    add(small_);
    add(may_);
    add(joined_results());
    // In short networks, the sets up to each size, which are the same for larger memories.
    if (network_.ops.size() <= few_ops)
      for (Size most = 1; most < on_chip_capacity(within_); most *= 2) add(up_to(most));
    std::vector<std::vector<State>> found(1 + sets.size());
    const int threads = threads_of_each(params_.limits.threads, found.size());
    each_sharing({.threads = params_.limits.threads}, found.size(),
                 [&](std::size_t k, SharedWork& shared) {
                   const Helpers helpers{.threads = threads, .outer = &shared};
                   const auto keep = [&](std::optional<State> state) {
                     if (state) found[k].push_back(*std::move(state));
                   };
                   if (k > 0) return keep(best_with(sets[k - 1], helpers));
                   tensor_by_tensor(best, helpers);
                   const std::vector<TensorIndex> chosen = best.stays;
                   keep(std::move(best));
                   if (std::ranges::find(sets, chosen) == sets.end())
                     keep(best_with(chosen, helpers));
                 });
    std::vector<State> all;
    for (std::vector<State>& of_start : found) std::ranges::move(of_start, std::back_inserter(all));
    return all;
  }

  /// Improves the groups of the other plans.
  [[nodiscard]] std::vector<State> from_others() {
    std::vector<State> found;
    for (const NetworkPlan& each : others_)
      found.push_back({.runs = each.subgraphs, .stays = {}, .score = score_of(each.subgraphs)});
    const int threads = threads_of_each(params_.limits.threads, found.size());
    each_sharing({.threads = params_.limits.threads}, found.size(),
                 [&](std::size_t k, SharedWork& shared) {
                   tensor_by_tensor(found[k], {.threads = threads, .outer = &shared});
                 });
    return found;
  }

  /// Adds the best recombination of the groups of all states.
  void put_together_of(const Runs& stored, std::span<const State> of_others,
                       const NetworkPlan& plan, std::vector<State>& found) {
    if (found.empty() || budget_.exhausted()) return;
    const State* best = &*std::ranges::min_element(found, {}, &State::score);
    std::vector<const Runs*> others{&stored};
    for (const State& each : found) others.push_back(&each.runs);
    for (const State& each : of_others) {
      others.push_back(&each.runs);
      if (each.score < best->score) best = &each;
    }
    if (!of_others.empty())
      for (const NetworkPlan& each : others_) others.push_back(&each.subgraphs);
    PlanParams params = params_;
    params.limits = rest();
    TogetherResult made =
        put_together(network_, hardware_, params, plan, best->runs, others, stage());
    solved_ += made.solved;
    if (!made.runs) return;
    State state{.runs = *std::move(made.runs)};
    state.stays = stays_of(state.runs);
    state.score = score_of(state.runs);
    found.push_back(std::move(state));
  }
  [[nodiscard]] ShapeGoal::Stage stage() const {
    return side_by_side_ ? ShapeGoal::Stage::side_by_side : ShapeGoal::Stage::reductions;
  }

  /// The best partition with these tensors, improved tensor by tensor.
  [[nodiscard]] std::optional<State> best_with(const std::vector<TensorIndex>& stays,
                                               Helpers helpers) {
    std::optional<State> state = noted(cover_with(stays, true, unbounded, helpers));
    if (!state) return std::nullopt;
    if (std::optional<State> lower = in_less(*state, helpers)) state = std::move(lower);
    tensor_by_tensor(*state, helpers);
    return state;
  }

  /// False if it is no better.
  bool take(State& best, NetworkPlan& plan) {
    if (best.score >= plan.score * (wants_nearly_ ? good_ : less)) return false;
    NetworkPlan next = plan;
    next.subgraphs = std::move(best.runs);
    if (!always_settles(hardware_))
      settle_off_chip(network_, hardware_, budget_, next, params_.limits.threads);
    if (next.status != Status::feasible) return false;
    describe(network_, hardware_, score_, next, params_.limits.threads);
    const bool better = next.score < plan.score * less;
    if (better) std::swap(plan, next);
    if (wants_nearly_) nearly_.push_back(std::move(next));
    return better;
  }

  /// Keeps plans worse than the best and different from each other.
  void keep_nearly(double score) {
    std::ranges::stable_sort(nearly_, {}, &NetworkPlan::score);
    double last = score;
    std::erase_if(nearly_, [&](const NetworkPlan& plan) {
      if (plan.score * less <= last || plan.score > score * good_) return true;
      last = plan.score;
      return false;
    });
    if (nearly_.size() > most_nearly_) nearly_.resize(most_nearly_);
  }

  /// Tensors that may be resident, of at most `most` bytes.
  [[nodiscard]] std::vector<TensorIndex> up_to(Size most) const {
    const Dim brick = on_chip_layout(hardware_).brick;
    std::vector<TensorIndex> found;
    for (const TensorIndex t : may_)
      if (stored_bytes(network_.tensors[t], brick) <= most) found.push_back(t);
    return found;
  }

  /// Concatenations that cost nothing alone are never grouped with their operands, so their results
  /// are never on chip. This set forces the results, together with the small tensors.
  [[nodiscard]] std::vector<TensorIndex> joined_results() const {
    std::vector<TensorIndex> found = small_;
    for (const Op& op : network_.ops)
      if (tiling::is_in_its_place(network_, op)) {
        for (const TensorIndex t : op.inputs) std::erase(found, t);
        found.push_back(op.outputs.front());
      }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::erase_if(found, [&](TensorIndex t) { return !std::ranges::binary_search(may_, t); });
    return found;
  }

  /// Tensors across cut points, most bytes first.
  [[nodiscard]] std::vector<TensorIndex> over_cuts(const State& state) const {
    std::vector<TensorIndex> found;
    for (const TensorIndex t : may_)
      if (run_of(state.runs, maker_of(t)) != run_of(state.runs, *readers_[t])) found.push_back(t);
    std::ranges::stable_sort(found, std::greater<>(),
                             [&](TensorIndex t) { return tensor_bytes(network_.tensors[t]); });
    return found;
  }

  [[nodiscard]] State best_of_every_set(State best) {
    const std::vector<std::vector<TensorIndex>> sets = all_sets();
    std::vector<std::optional<State>> found(sets.size());
    const int threads = threads_of_each(params_.limits.threads, sets.size());
    each_sharing({.threads = params_.limits.threads}, sets.size(),
                 [&](std::size_t k, SharedWork& shared) {
                   const Helpers helpers{.threads = threads, .outer = &shared};
                   if (sets[k].empty()) return;
                   found[k] = noted(cover_with(sets[k], false, unbounded, helpers));
                   if (!found[k]) return;
                   if (std::optional<State> lower = in_less(*found[k], helpers))
                     found[k] = std::move(lower);
                 });
    for (std::optional<State>& each : found)
      if (each && each->score < best.score * less) best = *std::move(each);
    return best;
  }

  /// Reduces the memory with the same resident tensors while that improves the score. Several sizes
  /// are evaluated in parallel; results after the end of the descent are discarded.
  [[nodiscard]] std::optional<State> in_less(const State& state, Helpers helpers) {
    std::optional<State> best;
    if (!levels_ || state.stays.empty()) return best;
    const Size peak = peak_of(state.runs);
    int in_vain = 0;
    Size next = level_below(peak);
    while (next > 0 && in_vain < most_in_vain) {
      std::vector<Size> levels;
      for (; next > 0 && levels.size() < static_cast<std::size_t>(helpers.threads);
           next = level_below(next))
        levels.push_back(next);
      std::vector<Cover> covers(levels.size());
      each_sharing(helpers, levels.size(), [&](std::size_t k, SharedWork& shared) {
        covers[k] = cover_with(
            state.stays, !all_sets_, levels[k],
            {.threads = threads_of_each(helpers.threads, levels.size()), .outer = &shared});
      });
      for (Cover& cover : covers) {
        if (in_vain == most_in_vain) break;
        std::optional<State> lower = noted(std::move(cover));
        if (lower && lower->score < (best ? best->score : state.score) * less)
          best = std::move(lower);
        else
          ++in_vain;
      }
    }
    return best;
  }

  /// Tries tensors in parallel, as if the ones before changed nothing. After a change, the tensors
  /// behind it are tried again, so threads do not change the result. More tensors at once reduce
  /// idle time at the end, and repetitions are rare if little changes.
  void tensor_by_tensor(State& state, Helpers helpers) {
    const auto threads = static_cast<std::size_t>(helpers.threads);
    for (int pass = 0; pass < most_passes; ++pass) {
      bool changed = false;
      const std::vector<TensorIndex> tensors = over_cuts(state);
      std::size_t at_once = threads;
      for (std::size_t next = 0; next < tensors.size();) {
        if (budget_.exhausted()) return;
        std::vector<std::optional<State>> tried(std::min(at_once, tensors.size() - next));
        each_sharing(helpers, tried.size(), [&](std::size_t k, SharedWork& shared) {
          tried[k] = other_way(state, tensors[next + k], shared);
        });
        const auto better = std::ranges::find_if(tried, &std::optional<State>::has_value);
        next += static_cast<std::size_t>(better - tried.begin());
        at_once =
            better == tried.end() && threads > 1 ? std::min(2 * at_once, 4 * threads) : threads;
        if (better == tried.end()) continue;
        state = std::move(**better);
        changed = true;
        ++next;
      }
      if (!changed) return;
    }
  }

  /// Toggles residency of the tensor. Nothing if that is not cheaper.
  [[nodiscard]] std::optional<State> other_way(const State& state, TensorIndex tensor,
                                               SharedWork& shared) {
    State next = state;
    const auto at = std::ranges::lower_bound(next.stays, tensor);
    if (at != next.stays.end() && *at == tensor)
      next.stays.erase(at);
    else
      next.stays.insert(at, tensor);
    const std::size_t first = run_of(state.runs, maker_of(tensor));
    const std::size_t last = run_of(state.runs, *readers_[tensor]);
    if (!find_runs(next, first, last, shared)) return std::nullopt;
    next.score = score_of(next.runs);
    if (next.score >= state.score * less || !settle(next.runs, first, last)) return std::nullopt;
    next.score = score_of(next.runs);
    if (next.score >= state.score * less) return std::nullopt;
    return next;
  }

  /// The best tiles of the groups from `first` to `last`, with the resident tensors.
  [[nodiscard]] bool find_runs(State& next, std::size_t first, std::size_t last,
                               SharedWork& shared) {
    Candidates candidates(network_, within_, candidates_with(next.stays), params_.memory);
    Size free = 0;
    for (std::size_t k = 0; k < next.runs.size(); ++k)
      if (k < first || k > last) free = std::max(free, next.runs[k].metrics.peak_bytes);
    for (std::size_t k = first; k <= last; ++k) {
      std::optional<PlannedSubgraph> run =
          best_run(candidates, next.runs[k].ops, free, stage(), &shared);
      if (!run) return false;
      next.runs[k] = std::move(*run);
    }
    solved_ += candidates.counts().solved;
    return true;
  }

  [[nodiscard]] Limits rest() const { return validation::rest_of(params_.limits, budget_); }

  /// Result for the best partition with a resident set in a limited memory.
  struct Cover {
    std::optional<State> state{};
    double fewest_bound = infinity;
    std::int64_t solved = 0;
    StopReason stop = StopReason::completed;
    bool no_place = false;  ///< resident tensors have no common placement, but each group fits
  };

  [[nodiscard]] Cover cover_with(const std::vector<TensorIndex>& stays, bool quick, Size most_peak,
                                 Helpers helpers) const {
    if (stays.empty()) return {};
    if (budget_.exhausted()) return {.fewest_bound = 0};
    PlanParams params = params_;
    params.limits = rest();
    params.limits.threads = helpers.threads;
    params.progress = nullptr;
    NetworkPlan plan = plan_once(network_, hardware_, params,
                                 {.most_peak = most_peak,
                                  .stays = stays,
                                  .quick = quick,
                                  .side_by_side = side_by_side_,
                                  .outer = helpers.outer})
                           .plan;
    Cover cover{.solved = plan.search.solved, .stop = plan.stop};
    if (plan.status != Status::infeasible && most_peak == unbounded)
      cover.fewest_bound = plan.bound;
    cover.no_place = plan.status == Status::unknown && plan.stop == StopReason::completed;
    if (plan.status != Status::feasible) return cover;
    const double score = score_of(plan.subgraphs);
    cover.state = State{std::move(plan.subgraphs), stays, score};
    return cover;
  }

  /// Records the result of a planned query.
  std::optional<State> noted(Cover cover) {
    solved_ += cover.solved;
    const std::lock_guard guard(lock_);
    if (cut_short(cover.stop)) stop_ = cover.stop;
    fewest_bound_ = std::min(fewest_bound_, cover.fewest_bound);
    no_place_ = no_place_ || cover.no_place;
    return std::move(cover.state);
  }

  std::span<const NetworkPlan> others_;
  bool wants_nearly_;
  bool side_by_side_;
  std::vector<NetworkPlan> nearly_;
  std::size_t most_nearly_ = most_nearly;
  double good_ = nearly_as_good;
  std::vector<TensorIndex> may_;    ///< tensors that may be resident and fit
  std::vector<TensorIndex> small_;  ///< the small ones of these
  bool all_sets_ = false;
  bool levels_ = false;             ///< try smaller memory sizes
  std::mutex lock_;                 ///< guards the next three members
  double fewest_bound_ = infinity;  ///< of the fewest-tile partitions
  StopReason stop_ = StopReason::completed;
  bool no_place_ = false;  ///< some partition had no placement for its resident tensors
  std::atomic<std::int64_t> solved_ = 0;
};

}  // namespace

ResidencyWork take_residency(const Network& network, const Hardware& hardware,
                             const PlanParams& params, bool wants_nearly, bool side_by_side,
                             std::span<const NetworkPlan> others, NetworkPlan& plan) {
  Residency residency(network, hardware, params, wants_nearly, side_by_side, others, plan);
  const bool better = residency.improve(plan);
  return {better,
          residency.solved(),
          residency.stop(),
          residency.all_sets(),
          residency.fewest_bound(),
          residency.nearly()};
}

}  // namespace tessera::planner
