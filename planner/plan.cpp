#include "tessera/plan.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "cost/score.h"
#include "model/off_chip.h"
#include "model/shared_work.h"
#include "planner/describe.h"
#include "planner/early.h"
#include "planner/kept_rows.h"
#include "planner/modes.h"
#include "planner/peaks.h"
#include "planner/plannings.h"
#include "planner/run_by_run.h"
#include "tiling/trailing.h"

namespace tessera::planner {

namespace {

/// A partition search reserves some of its time. If it finds nothing, retry with the rest of the
/// limit, at most this often.
constexpr int most_again = 3;
/// Partitions into short groups above this multiple of the plan's score usually have no useful
/// groups.
constexpr double good_for_short = 1.1;
/// Shorter groups leave more space for mandatory resident tensors.
constexpr std::array<std::size_t, 5> runs_that_leave_room{1, 2, 4, 8, 16};

}  // namespace

Plannings::Plannings(const Network& network, const Hardware& hardware, const PlanParams& params)
    : network_(network),
      hardware_(hardware),
      later_(later_looks(network, hardware, params)),
      params_(for_the_search(params, hardware, later_)),
      whole_(params.limits),
      going_on_(for_the_search(params, hardware, {}).limits),
      limited_(params_.limits),
      fewest_modes_(params.fewest_modes) {
  if (!params_.memory) params_.memory = make_plan_memory();
}

Plannings::LaterLooks Plannings::later_looks(const Network& network, const Hardware& hardware,
                                             const PlanParams& params) {
  const bool shapes = params.tile_shapes > 0;
  return {.direct = shapes && may_be_direct(hardware),
          .trailing = shapes && tiling::works_side_by_side(hardware),
          .early = params.residency && may_come_early(network, hardware),
          .rows = shapes && params.residency && may_keep_rows(network, hardware)};
}

Limits Plannings::part_for_covers(Limits limits) {
  if (limits.timeout) *limits.timeout -= *limits.timeout / 4;
  return limits;
}

NetworkPlan Plannings::run() {
  ResidencyWork stays{.sets = {{}}};
  NetworkPlan plan = found(params_, later_.any(), stays);
  if (plan.status == Status::feasible) {
    // A limit skipped smaller memory sizes or residency.
    if (may_go_on(plan) && cut_ != StopReason::completed) plan.optimal = false;
    if (later_.trailing && may_go_on(plan)) add_side_by_side(plan, stays.nearly);
    if (later_.any() && may_look_later(plan)) go_on(plan, stays.nearly);
    if (later_.early && may_look_later(plan)) keep_weights(plan);
    plan.looked_at = {plan.bound, plan.optimal, plan.proved_over};
    const double before = plan.score;
    if (params_.tile_shapes > 0) prove(plan, stays.sets);
    if (later_.rows) {
      if (plan.score < before) add_rows(plan);
      stays.sets.clear();  // sets of resident rows are too many
      bound_alone(plan);
    }
    if (later_.early) claim_with_early(plan, stays.sets);
    if (fewest_modes_) take_modes(plan);
  }
  if (plan.status == Status::feasible && always_settles(hardware_))
    settle_off_chip(network_, hardware_, whole_.budget(), plan, params_.limits.threads);
  if (plan.status == Status::unknown && plan.reason.empty())
    plan.reason = "no partition of the network was found within the limits of the search";
  if (params_.progress && plan.status == Status::feasible)
    params_.progress({plan.score, plan.bound, std::max(told_solved_, solved_)});
  if (may_go_on(plan) && cut_ != StopReason::completed) {
    plan.stop = cut_;
    plan.optimal = false;
  }
  // The range named in the text includes what the limit skipped.
  if (cut_ != StopReason::completed) plan.looked_at = {plan.bound, plan.optimal, plan.proved_over};
  // The limit may also have ended a later step, such as off-chip addresses.
  if (plan.status != Status::infeasible && plan.stop == StopReason::completed)
    plan.stop = whole_.budget().exhausted().value_or(plan.stop);
  plan.search.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  return plan;
}

NetworkPlan Plannings::found(const PlanParams& params, bool wants_nearly, ResidencyWork& stays) {
  const bool levels = tries_levels(params_, hardware_);
  const bool must_stay = stays_on_chip(hardware_);
  const bool may_stay = params_.residency && !must_stay;
  const bool timed = params_.limits.timeout.has_value();
  NetworkPlan placed;
  if (must_stay && timed) placed = soon_placed();
  if (may_stay) covers_.emplace(part_for_covers(rest().limits));
  PlanParams first = rest();
  first.progress = params.progress;
  const PlanPart part{.quick = levels, .side_by_side = side_by_side_};
  auto [plan, fewest] = plan_once(network_, hardware_, first, part);
  note(plan.stop);
  solved_ += plan.search.solved;
  // Time reserved for later phases is useless without a plan.
  for (int again = 0; again < most_again && plan.status == Status::unknown &&
                      plan.stop == StopReason::time_limit && !limited_.budget().exhausted();
       ++again) {
    covers_.reset();
    plan = plan_once(network_, hardware_, rest(), part).plan;
    solved_ += plan.search.solved;
  }
  if (timed && plan.status == Status::feasible) bounds_in_time(plan);
  if (must_stay) {
    leave_room(plan);
    if (!timed && plan.status == Status::unknown) placed = soon_placed();
    take_instead(plan, std::move(placed));
  }
  if (off_chip::backing(hardware_) != nullptr) try_shorter_runs(plan);
  if (levels && may_go_on(plan)) {
    look_further(plan, fewest);
    if (const auto tell = progress_from(plan)) tell({plan.score, plan.bound, 0});
  }
  covers_.reset();
  std::vector<NetworkPlan> shorter;
  if (params_.tile_shapes > 0 && may_go_on(plan)) shorter = short_covers(plan);
  if (may_stay && may_look_later(plan)) {
    const PlanParams left = rest();
    stays = take_residency(network_, hardware_, left, wants_nearly, side_by_side_, shorter, plan);
    solved_ += stays.solved;
    note(stays.stop);
    claim_with(plan, stays);
  }
  if (wants_nearly && network_.ops.size() <= few_ops)
    for (NetworkPlan& each : shorter) add_start(plan, std::move(each), stays.nearly);
  return std::move(plan);
}

std::vector<NetworkPlan> Plannings::short_covers(NetworkPlan& plan) {
  std::vector<NetworkPlan> covers;
  const bool quick = network_.ops.size() > few_ops;
  for (const std::size_t most_ops : short_runs) {
    // With mandatory residency, single ops and pairs may not fit.
    if (most_ops > 2 && !stays_on_chip(hardware_)) continue;
    if (most_ops >= std::min(params_.max_ops, network_.ops.size())) continue;
    NetworkPlan cover = cover_of_runs(most_ops, {.quick = quick, .side_by_side = side_by_side_});
    if (cover.status != Status::feasible) continue;
    if (quick && cover.score > plan.score * good_for_short) continue;
    covers.push_back(cover);
    cover.search = plan.search;
    take_instead(plan, std::move(cover));
  }
  return covers;
}

NetworkPlan Plannings::cover_of_runs(std::size_t most_ops, const PlanPart& part) {
  PlanParams params = rest();
  params.max_ops = most_ops;
  params.progress = nullptr;
  NetworkPlan cover = plan_once(network_, hardware_, params, part).plan;
  solved_ += cover.search.solved;
  note(cover.stop);
  return cover;
}

void Plannings::claim_as(const NetworkPlan& plan, NetworkPlan& other) {
  other.bound = std::min(plan.bound, other.score);
  other.optimal = false;
  other.limit_mattered = plan.limit_mattered;
  other.proved_over = plan.proved_over;
}

void Plannings::add_side_by_side(const NetworkPlan& plan, std::vector<NetworkPlan>& others) {
  PlanParams params = rest();
  params.progress = progress_from(plan);
  side_by_side_ = true;
  ResidencyWork stays;
  NetworkPlan other = found(params, false, stays);
  side_by_side_ = false;
  note(other.stop);
  add_start(plan, std::move(other), others);
}

void Plannings::add_start(const NetworkPlan& plan, NetworkPlan start,
                          std::vector<NetworkPlan>& others) {
  if (start.status != Status::feasible) return;
  start.limit_mattered = plan.limit_mattered;
  start.search = plan.search;
  others.push_back(std::move(start));
}

void Plannings::go_on(NetworkPlan& plan, std::vector<NetworkPlan>& nearly) {
  const std::size_t all = 1 + nearly.size();
  const auto look = [&](std::size_t k, SharedWork& shared) {
    // Remaining time at the begin of this item, since some begin after others have ended.
    PlanParams params = rest_of(going_on_);
    params.limits.threads = threads_of_each(params.limits.threads, all);
    const Helpers helpers{.threads = params.limits.threads, .outer = &shared};
    NetworkPlan& each = k == 0 ? plan : nearly[k - 1];
    if (later_.direct || later_.trailing) take_run_by_run(network_, hardware_, params, each);
    // Resident rows take space from prefetched weights, which may gain more.
    NetworkPlan without = each;
    const bool keeps = later_.rows && take_kept_rows(network_, hardware_, params, each);
    if (later_.early) take_early(network_, hardware_, params, helpers, each);
    if (!keeps || !later_.early) return;
    take_early(network_, hardware_, params, helpers, without);
    if (without.score < each.score) each = std::move(without);
  };
  each_sharing({.threads = params_.limits.threads}, all, look);
  for (NetworkPlan& each : nearly) {
    if (each.score >= plan.score) continue;
    each.bound = plan.bound;
    each.optimal = plan.optimal;
    each.proved_over = plan.proved_over;
    plan = std::move(each);
  }
  plan.bound = std::min(plan.bound, plan.score);
  if (const std::optional<StopReason> ended = going_on_.budget().exhausted()) {
    note(*ended);
    plan.optimal = false;
  }
  if (plan.proved_over != over_everything()) plan.proved_over += later_phases();
}

void Plannings::keep_weights(NetworkPlan& plan) const {
  Hardware keeping = hardware_;
  TilingOptions& tiling = keeping.tiling;
  const bool may = std::ranges::count(tiling.weights, WeightPolicy::resident) > 0;
  const bool does = tiling.weights.size() == 1 && tiling.reduction.size() == 1;
  if (!may || does || shared_weights(network_).empty()) return;
  tiling.weights = {WeightPolicy::resident};
  tiling.reduction = {1};
  PlanParams params = rest_of(going_on_);
  params.progress = progress_from(plan);
  params.reference = plan.reference;
  params.proof_shapes = 0;  // its proof would cover all tiles
  NetworkPlan kept = Plannings(network_, keeping, params).run();
  kept.baseline = plan.baseline;
  kept.baseline_score = plan.baseline_score;
  kept.stop = plan.stop;
  kept.search = plan.search;
  take_instead(plan, std::move(kept));
}

void Plannings::add_rows(NetworkPlan& plan) {
  if (take_kept_rows(network_, hardware_, rest_of(going_on_), plan))
    plan.looked_at.bound = std::min(plan.looked_at.bound, plan.score);
  if (const std::optional<StopReason> ended = going_on_.budget().exhausted()) note(*ended);
}

void Plannings::take_modes(NetworkPlan& plan) const {
  const cost::Score score{plan.weights, cost::in_cycles_of(hardware_.clock_hz, plan.reference)};
  plan.objectives = {take_fewest_modes(
      network_, hardware_, modes_params(params_, score, peak_limits_of(params_), whole_.budget()),
      plan.subgraphs)};
  describe(network_, hardware_, score, plan, params_.limits.threads);
  // Bounds of partitions ignore that other placements may switch modes less often.
  if (plan.optimal || plan.bound > plan.score) plan.bound = plan.score;
  if (plan.looked_at.optimal || plan.looked_at.bound > plan.score)
    plan.looked_at.bound = plan.score;
  if (plan.objectives.back().proved || plan.stop != StopReason::completed) return;
  plan.stop = whole_.budget().exhausted().value_or(plan.stop);
}

PlanParams Plannings::for_the_search(PlanParams params, const Hardware& hardware,
                                     const LaterLooks& later) {
  std::optional<std::chrono::nanoseconds>& timeout = params.limits.timeout;
  if (timeout && params.fewest_modes) *timeout -= *timeout / 5;
  params.fewest_modes = false;
  if (timeout && always_settles(hardware)) *timeout -= *timeout / 50;
  if (timeout && later.any()) *timeout -= *timeout / 10;
  return params;
}

PlanParams Plannings::rest_of(const validation::LimitedBudget& limited) const {
  PlanParams rest = params_;
  rest.limits = validation::rest_of(params_.limits, limited.budget());
  return rest;
}

void Plannings::note(StopReason stop) {
  if (cut_short(stop)) cut_ = stop;
}

NetworkPlan Plannings::soon_placed() {
  PlanParams params = rest();
  if (params.limits.timeout) *params.limits.timeout /= 2;
  const validation::LimitedBudget part(params.limits);
  NetworkPlan best;
  const auto look = [&](std::size_t most_ops, std::int64_t tile_shapes) {
    params = rest_of(part);
    params.max_ops = most_ops;
    params.tile_shapes = tile_shapes;
    params.progress = nullptr;
    NetworkPlan plan = plan_once(network_, hardware_, params, {.quick = true}).plan;
    solved_ += plan.search.solved;
    return take_instead(best, std::move(plan));
  };
  // The main search begins with groups of all lengths: results are remembered.
  std::vector<std::size_t> lengths(runs_that_leave_room.begin(), runs_that_leave_room.end());
  std::erase_if(lengths, [&](std::size_t most_ops) { return most_ops >= params_.max_ops; });
  lengths.push_back(params_.max_ops);
  std::optional<std::size_t> of_best;
  for (const std::size_t most_ops : lengths) {
    if (part.budget().exhausted()) break;
    if (look(most_ops, 0)) of_best = most_ops;
  }
  if (of_best && params_.tile_shapes > 0 && !part.budget().exhausted())
    look(*of_best, params_.tile_shapes);
  return best;
}

void Plannings::leave_room(NetworkPlan& plan) const {
  const double bound = plan.bound;
  for (const double share : {0.96, 0.9, 0.8, 0.65, 0.5, 0.35, 0.25, 0.12}) {
    if (plan.status != Status::unknown || plan.stop != StopReason::completed) break;
    NetworkPlan smaller = plan_once(network_, hardware_, rest(), {.share = share}).plan;
    smaller.bound = std::min(bound, smaller.score);
    smaller.optimal = false;
    if (smaller.status == Status::infeasible) break;
    plan = std::move(smaller);
  }
}

bool Plannings::take_instead(NetworkPlan& plan, NetworkPlan other) {
  if (other.status != Status::feasible || plan.status == Status::infeasible) return false;
  if (plan.status == Status::feasible && plan.score <= other.score) return false;
  claim_as(plan, other);
  plan = std::move(other);
  return true;
}

void Plannings::try_shorter_runs(NetworkPlan& plan) {
  const bool no_room = plan.status == Status::unknown && plan.stop == StopReason::completed;
  if (!no_room && (!may_go_on(plan) || plan.behind.fetches.empty())) return;
  for (const std::size_t most_ops : short_runs) {
    if (most_ops >= params_.max_ops) continue;
    take_instead(plan, cover_of_runs(most_ops, {}));
  }
}

bool Plannings::may_go_on(const NetworkPlan& plan) {
  return plan.status == Status::feasible && plan.stop == StopReason::completed;
}

bool Plannings::may_look_later(const NetworkPlan& plan) {
  return may_go_on(plan) ||
         (plan.status == Status::feasible && plan.stop == StopReason::time_limit);
}

void Plannings::take_if_better(NetworkPlan& plan, NetworkPlan other) {
  if (other.status != Status::feasible || other.score > plan.score) return;
  other.bound = std::min(other.bound, plan.bound);
  other.optimal = other.optimal && plan.optimal;
  if (other.optimal) other.bound = other.score;
  plan = std::move(other);
}

std::function<void(const PlanProgress&)> Plannings::progress_from(const NetworkPlan& plan) const {
  if (!params_.progress) return nullptr;
  return [this, score = plan.score, bound = plan.bound, solved = solved_](const PlanProgress& now) {
    const std::lock_guard guard(told_lock_);
    told_score_ = std::min({told_score_, now.best_score, score});
    told_solved_ = std::max(told_solved_, solved + now.solved);
    params_.progress({told_score_, std::min(bound, told_score_), told_solved_});
  };
}

NetworkPlan plan_fully(const Network& network, const Hardware& hardware, const PlanParams& params) {
  return Plannings(network, hardware, params).run();
}

}  // namespace tessera::planner
