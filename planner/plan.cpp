#include "tessera/plan.h"

#include <algorithm>
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
#include "planner/modes.h"
#include "planner/peaks.h"
#include "planner/plannings.h"

namespace tessera::planner {

namespace {

/// Weight prefetch is tried on so many plans with almost the best score.
constexpr std::size_t most_nearly = 2;
constexpr double nearly_as_good = 1.02;
/// Share of the traffic that weights of several groups must save.
constexpr double worth_keeping = 0.005;

}  // namespace

Plannings::Plannings(const Network& network, const Hardware& hardware, const PlanParams& params)
    : network_(network),
      hardware_(hardware),
      prefetches_(params.residency && may_come_early(network, hardware)),
      params_(for_the_search(params, hardware, prefetches_)),
      whole_(params.limits),
      going_on_(for_the_search(params, hardware, false).limits),
      limited_(params_.limits),
      fewest_modes_(params.fewest_modes) {
  if (!params_.memory) params_.memory = make_plan_memory();
}

NetworkPlan Plannings::run() {
  NetworkPlan plan = start();
  std::vector<NetworkPlan> nearly;
  if (may_search(plan)) nearly = search(plan);
  if (plan.status == Status::feasible) {
    if (may_go_on(plan) && cut_ != StopReason::completed) plan.optimal = false;
    if (prefetches_ && may_look_later(plan)) {
      prefetch(plan, nearly);
      if (may_look_later(plan)) keep_weights(plan);
    }
    plan.explored = {complete_ ? plan.score : plan.bound, complete_, explored_scope()};
    if (params_.tile_shapes > 0) {
      claim(plan);
      if (plan.optimal) plan.explored = {plan.bound, true, plan.scope};
    }
    if (fewest_modes_) take_modes(plan);
  }
  if (plan.status == Status::feasible && always_settles(hardware_))
    settle_off_chip(network_, hardware_, whole_.budget(), plan, params_.limits.threads);
  if (plan.status == Status::unknown && plan.reason.empty())
    plan.reason = "no partition of the network was found within the limits of the search";
  bound_groups(plan);
  if (params_.progress && plan.status == Status::feasible)
    params_.progress({plan.score, plan.bound, std::max(told_solved_, solved_)});
  if (may_go_on(plan) && cut_ != StopReason::completed) {
    plan.stop = cut_;
    plan.optimal = false;
  }
  if (cut_ != StopReason::completed) plan.explored = {plan.bound, plan.optimal, plan.scope};
  // A limit may also end the last phases, such as the off-chip placement.
  if (plan.status != Status::infeasible && plan.stop == StopReason::completed)
    plan.stop = whole_.budget().exhausted().value_or(plan.stop);
  plan.search.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  return plan;
}

/// The start is optimal if groups have no other tiles and no resident tensors to choose from.
bool Plannings::may_search(const NetworkPlan& plan) const {
  if (plan.status == Status::feasible)
    return params_.tile_shapes > 0 || (params_.residency && !stays_on_chip(hardware_));
  // Each group fits, but no joint placement was found.
  return plan.status == Status::unknown && plan.stop == StopReason::completed &&
         stays_on_chip(hardware_);
}

NetworkPlan Plannings::start() {
  PlanParams params = rest();
  params.tile_shapes = 0;
  params.progress = nullptr;
  NetworkPlan plan;
  const bool single = params_.tile_shapes > 0 && !stays_on_chip(hardware_);
  if (single) params.max_ops = 1;
  plan = plan_once(network_, hardware_, params);
  solved_ += plan.search.solved;
  if (single && plan.status != Status::feasible && params_.max_ops > 1) {
    params.max_ops = params_.max_ops;
    plan = plan_once(network_, hardware_, params);
    solved_ += plan.search.solved;
  }
  note(plan.stop);
  if (params.max_ops < params_.max_ops) plan.limit_mattered = params_.max_ops < network_.ops.size();
  if (plan.status != Status::feasible) return plan;
  if (params_.limits.timeout) bounds_in_time(plan);
  if (params_.tile_shapes > 0) claim(plan);
  if (const auto tell = progress_from(plan)) tell({plan.score, plan.bound, 0});
  return plan;
}

std::vector<NetworkPlan> Plannings::search(NetworkPlan& plan) {
  PathResult found = search_paths(plan, params_.max_ops);
  complete_ = found.complete;
  PlanSearch& counts = plan.search;
  counts.solved += found.search.solved;
  counts.reused += found.search.reused;
  counts.infeasible += found.search.infeasible;
  counts.unknown += found.search.unknown;
  counts.shapes += found.search.shapes;
  counts.pruned = found.search.pruned;
  counts.candidates = counts.solved + counts.reused + counts.pruned;
  std::vector<NetworkPlan> plans;
  const bool fetches = off_chip::backing(hardware_) != nullptr;
  for (const std::size_t most_ops : short_groups)
    if (fetches && most_ops < params_.max_ops)
      std::ranges::move(search_paths(plan, most_ops).plans, std::back_inserter(found.plans));
  // Without a backing memory the order of the scores is that of the search.
  for (auto groups = found.plans.rbegin(); groups != found.plans.rend(); ++groups) {
    if (!fetches && plans.size() > most_nearly) break;
    if (groups != found.plans.rbegin() && limited_.budget().exhausted()) break;
    NetworkPlan next = described(plan, std::move(*groups));
    if (next.status == Status::feasible) plans.push_back(std::move(next));
  }
  std::ranges::stable_sort(plans, {}, &NetworkPlan::score);
  const double start = plan.status == Status::feasible ? plan.score : PlanProgress{}.best_score;
  std::erase_if(plans, [&](const NetworkPlan& each) {
    return each.score >= start || each.score > plans.front().score * nearly_as_good;
  });
  if (!plans.empty()) {
    plan = std::move(plans.front());
    plans.erase(plans.begin());
    if (plans.size() > most_nearly) plans.resize(most_nearly);
  }
  claim_explored(found, plan);
  return plans;
}

PathResult Plannings::search_paths(const NetworkPlan& plan, std::size_t max_ops) {
  PlanParams params = rest();
  params.max_ops = max_ops;
  params.progress = progress_from(plan);
  PathResult found = PathSearch(network_, hardware_, params, plan).run(plan.subgraphs);
  solved_ += found.tiled;
  if (const std::optional<StopReason> ended = limited_.budget().exhausted()) note(*ended);
  return found;
}

NetworkPlan Plannings::described(const NetworkPlan& plan, Runs groups) const {
  const cost::Score score{plan.weights, cost::in_cycles_of(hardware_.clock_hz, plan.reference)};
  NetworkPlan next = plan;
  next.status = Status::feasible;
  next.subgraphs = std::move(groups);
  if (!always_settles(hardware_))
    settle_off_chip(network_, hardware_, limited_.budget(), next, params_.limits.threads);
  if (next.status == Status::feasible)
    describe(network_, hardware_, score, next, params_.limits.threads);
  return next;
}

void Plannings::prefetch(NetworkPlan& plan, std::vector<NetworkPlan>& nearly) {
  const std::size_t all = 1 + nearly.size();
  each_sharing({.threads = params_.limits.threads}, all, [&](std::size_t k, SharedWork& shared) {
    PlanParams params = rest_of(going_on_);
    params.limits.threads = threads_of_each(params.limits.threads, all);
    const Helpers helpers{.threads = params.limits.threads, .outer = &shared};
    take_early(network_, hardware_, params, helpers, k == 0 ? plan : nearly[k - 1]);
  });
  for (NetworkPlan& each : nearly)
    if (each.score < plan.score) plan = std::move(each);
  plan.bound = std::min(plan.bound, plan.score);
  if (const std::optional<StopReason> ended = going_on_.budget().exhausted()) {
    note(*ended);
    plan.optimal = false;
  }
}

void Plannings::keep_weights(NetworkPlan& plan) const {
  Hardware keeping = hardware_;
  TilingOptions& tiling = keeping.tiling;
  const bool may = std::ranges::count(tiling.weights, WeightPolicy::resident) > 0;
  const bool does = tiling.weights.size() == 1 && tiling.reduction.size() == 1;
  const auto saved = static_cast<double>(saved_by_shared_weights(network_));
  if (!may || does || saved < worth_keeping * static_cast<double>(plan.totals.dram_bytes)) return;
  tiling.weights = {WeightPolicy::resident};
  tiling.reduction = {1};
  PlanParams params = rest_of(going_on_);
  params.progress = progress_from(plan);
  params.reference = plan.reference;
  params.proof_shapes = 0;  // the proof ranges over all tilings
  NetworkPlan kept = Plannings(network_, keeping, params).run();
  kept.baseline = plan.baseline;
  kept.baseline_score = plan.baseline_score;
  kept.stop = plan.stop;
  kept.search = plan.search;
  take_instead(plan, std::move(kept));
}

void Plannings::take_modes(NetworkPlan& plan) const {
  const cost::Score score{plan.weights, cost::in_cycles_of(hardware_.clock_hz, plan.reference)};
  plan.objectives = {take_fewest_modes(
      network_, hardware_, modes_params(params_, score, peak_limits_of(params_), whole_.budget()),
      plan.subgraphs)};
  describe(network_, hardware_, score, plan, params_.limits.threads);
  // The bounds do not know that other placements may switch modes less often.
  if (plan.optimal || plan.bound > plan.score) plan.bound = plan.score;
  if (plan.explored.optimal || plan.explored.bound > plan.score) plan.explored.bound = plan.score;
  if (plan.objectives.back().proved || plan.stop != StopReason::completed) return;
  plan.stop = whole_.budget().exhausted().value_or(plan.stop);
}

PlanParams Plannings::for_the_search(PlanParams params, const Hardware& hardware, bool prefetches) {
  std::optional<std::chrono::nanoseconds>& timeout = params.limits.timeout;
  if (timeout && params.fewest_modes) *timeout -= *timeout / 5;
  params.fewest_modes = false;
  if (timeout && always_settles(hardware)) *timeout -= *timeout / 50;
  if (timeout && prefetches) *timeout -= *timeout / 10;
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

bool Plannings::may_go_on(const NetworkPlan& plan) {
  return plan.status == Status::feasible && plan.stop == StopReason::completed;
}

bool Plannings::may_look_later(const NetworkPlan& plan) {
  return may_go_on(plan) ||
         (plan.status == Status::feasible && plan.stop == StopReason::time_limit);
}

void Plannings::take_instead(NetworkPlan& plan, NetworkPlan other) {
  if (other.status != Status::feasible || plan.score <= other.score) return;
  other.bound = std::min(plan.bound, other.score);
  other.optimal = false;
  other.limit_mattered = plan.limit_mattered;
  other.scope = plan.scope;
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
