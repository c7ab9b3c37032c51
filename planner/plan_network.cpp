// plan_network(): with and without joined concatenations, pinned weights and off-chip capacities.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cost/compute.h"
#include "cost/score.h"
#include "model/off_chip.h"
#include "model/operand_rules.h"
#include "model/rules.h"
#include "placer/make_engine.h"
#include "planner/accounting.h"
#include "planner/baseline.h"
#include "planner/behind.h"
#include "planner/candidates.h"
#include "planner/check.h"
#include "planner/cover_bound.h"
#include "planner/describe.h"
#include "planner/joined.h"
#include "planner/offchip.h"
#include "planner/peaks.h"
#include "planner/pinned.h"
#include "planner/planning.h"
#include "tessera/plan.h"
#include "tiling/joined.h"
#include "validation/limited_budget.h"
#include "validation/requirements.h"

namespace tessera::planner {
namespace {

void require_effort(const Network& network, const Hardware& hardware, const PlanParams& params) {
  validation::require_valid(network);
  validation::require_valid(hardware);
  for (const OperandRule& rule : hardware.rules)
    if (std::ranges::any_of(operand_conditions(hardware, rule), about_modes))
      throw BadInput("rule '" + rule.name + "' is about modes, which plans do not support",
                     "`place` and `tile` support it");
  if (params.nodes_per_question < 1)
    throw BadInput("a placement query needs at least one search node");
  if (params.engine != "auto") static_cast<void>(placer::make_known_engine(params.engine));
  if (params.tile_shapes < 0 || params.proof_shapes < 0)
    throw BadInput("a number of tile shapes is negative: `tile_shapes` is " +
                       std::to_string(params.tile_shapes) + " and `proof_shapes` " +
                       std::to_string(params.proof_shapes),
                   "use 0 for none");
}

/// Adds up counters, since each plan has its own candidates.
void add(const PlanSearch& other, PlanSearch& search) {
  search.candidates += other.candidates;
  search.infeasible += other.infeasible;
  search.unknown += other.unknown;
  search.pruned += other.pruned;
  search.solved += other.solved;
  search.reused += other.reused;
  search.shapes += other.shapes;
  search.seconds += other.seconds;
}

/// The better of two plans of one network with different tensor layouts. Each proof holds for its
/// own layout.
NetworkPlan better_of(NetworkPlan first, NetworkPlan second) {
  // A plan left undecided by a limit is not infeasible.
  const bool open = first.status == Status::infeasible && second.status == Status::unknown;
  const bool takes = open || (second.status == Status::feasible &&
                              (first.status != Status::feasible || second.score < first.score));
  NetworkPlan& best = takes ? second : first;
  NetworkPlan& other = takes ? first : second;
  add(other.search, best.search);
  best.limit_mattered = best.limit_mattered || other.limit_mattered;
  if (cut_short(other.stop)) best.stop = other.stop;
  if (other.status == Status::infeasible) return std::move(best);
  const auto both = [&](double& bound, bool& optimal, double of_other) {
    bound = std::min(bound, other.status == Status::feasible ? of_other : 0.0);
    optimal = optimal && bound >= best.score;
  };
  both(best.bound, best.optimal, other.bound);
  both(best.explored.bound, best.explored.optimal, other.explored.bound);
  return std::move(best);
}

/// True if a concatenation in place is a group of its own.
bool has_a_free_join(const Network& network, const NetworkPlan& plan) {
  return std::ranges::any_of(plan.subgraphs, [&](const PlannedSubgraph& run) {
    return run.ops.size() == 1 && tiling::is_in_its_place(network, network.ops[run.ops.first]);
  });
}

/// Plans with joined concatenations first, which usually gain most. Its partition is chosen before
/// its resident tensors, so a plan without joined tensors is sometimes better. Most groups are then
/// known already.
NetworkPlan both_ways(const Network& network, const Hardware& hardware, PlanParams params) {
  const Network joined = planned_network(network, hardware, params);
  if (joined == network) return plan_fully(network, hardware, params);
  const validation::LimitedBudget limited(params.limits);
  if (!params.memory) params.memory = make_plan_memory();
  params.limits = validation::rest_of(params.limits, limited.budget());
  NetworkPlan first = plan_fully(joined, hardware, params);
  if (cut_short(first.stop) ||
      (first.status == Status::feasible && !has_a_free_join(joined, first)))
    return first;
  params.limits = validation::rest_of(params.limits, limited.budget());
  if (params.progress)
    params.progress = [tell = params.progress,
                       score = first.status == Status::feasible ? first.score
                                                                : PlanProgress{}.best_score,
                       bound = first.bound, solved = first.search.solved](const PlanProgress& now) {
      tell({std::min(score, now.best_score), std::min(bound, now.bound), solved + now.solved});
    };
  return better_of(std::move(first), plan_fully(network, hardware, params));
}

/// Limits with an equal part of the time.
Limits part_of(Limits limits, std::size_t parts) {
  if (limits.timeout) *limits.timeout /= static_cast<std::int64_t>(parts);
  return limits;
}

/// Bound for all plans with any pinned weights.
void claim_with_pins(const Network& network, const Hardware& hardware, const PlanParams& params,
                     NetworkPlan& plan) {
  const cost::Score score{plan.weights, cost::in_cycles_of(hardware.clock_hz, plan.reference)};
  const Network own = with_all_pinned(planned_network(network, hardware, params), hardware);
  const bool early = params.residency && hardware.tiling.early == Early::weights;
  plan.bound =
      std::min(plan.score, bound_of_plans(own, hardware, params, {score, params.max_ops, early}));
  plan.optimal = plan.bound >= plan.score;
  plan.scope.pins = PlanScope::Pins::any;
  plan.explored.bound = std::min(plan.explored.bound, plan.score);
  plan.explored.optimal = false;
  plan.explored.scope.pins = PlanScope::Pins::chosen;
}

/// Plans without pinned weights, then with sets of several sizes, each with a part of the time. The
/// baseline has no pinned weights.
NetworkPlan pinned_ways(const Network& network, const Hardware& hardware, PlanParams params) {
  if (params.tile_shapes == 0 || !may_pin(network, hardware))
    return both_ways(network, hardware, params);
  const validation::LimitedBudget limited(params.limits);
  if (!params.memory) params.memory = make_plan_memory();
  const Limits all = params.limits;
  params.limits = part_of(all, 2);
  const NetworkPlan first = both_ways(network, hardware, params);
  if (first.status != Status::feasible) return first;
  NetworkPlan best = first;
  params.reference = first.reference;
  const std::vector<std::vector<PlannedPin>> choices = pin_choices(network, hardware, first);
  for (std::size_t k = 0; k < choices.size(); ++k) {
    if (const std::optional<StopReason> ended = limited.budget().exhausted()) {
      best.stop = *ended;
      break;
    }
    const PinnedMachine own = with_pins(network, hardware, choices[k]);
    params.limits = part_of(validation::rest_of(all, limited.budget()), choices.size() - k);
    NetworkPlan plan = both_ways(own.network, own.hardware, params);
    plan.pinned = choices[k];
    plan.baseline = first.baseline;
    plan.baseline_score = first.baseline_score;
    best = better_of(std::move(best), std::move(plan));
  }
  claim_with_pins(network, hardware, params, best);
  return best;
}

/// True if the off-chip capacities hold the plan's placement.
bool has_room_off_chip(const NetworkPlan& plan, const Hardware& hardware) {
  return !plan.offchip.empty() &&
         std::ranges::all_of(plan.offchip, [&](const OffchipMemory& placed) {
           const auto memory =
               std::ranges::find(hardware.memories, placed.memory,
                                 [](const HardwareMemory& m) { return m.space.name; });
           return placed.height <= memory->space.capacity;
         });
}

/// Plans within the off-chip capacities. They only affect the final off-chip placement. The plan
/// without them is therefore searched first. If it fits, it is a plan within the capacities, and
/// its bound holds. Otherwise, or if a limit ended it, the search repeats and places each plan
/// within the capacities.
NetworkPlan within_capacities(const Network& network, const Hardware& hardware, PlanParams params) {
  if (always_settles(hardware) || off_chip::backing(hardware) != nullptr ||
      !never_fits_offchip(network, hardware).empty())
    return pinned_ways(network, hardware, params);
  const validation::LimitedBudget limited(params.limits);
  if (!params.memory) params.memory = make_plan_memory();
  const Limits all = params.limits;
  Hardware unbounded_machine = hardware;
  for (HardwareMemory& memory : unbounded_machine.memories)
    if (memory.offchip) memory.space.capacity = unbounded;
  params.limits = part_of(all, 2);
  NetworkPlan free = pinned_ways(network, unbounded_machine, params);
  const bool fits = free.status == Status::feasible && has_room_off_chip(free, hardware);
  if (free.status == Status::infeasible || (fits && !cut_short(free.stop))) return free;
  params.limits = validation::rest_of(all, limited.budget());
  NetworkPlan within = pinned_ways(network, hardware, params);
  return fits ? better_of(std::move(free), std::move(within)) : within;
}

void require_start(const Network& network, const NetworkPlan& start) {
  std::size_t next = 0;
  const auto follows = [&](const PlannedSubgraph& group) {
    if (group.ops.first != next || group.ops.last < next || group.ops.last >= network.ops.size())
      return false;
    next = group.ops.last + 1;
    return true;
  };
  if (start.status != Status::feasible)
    throw BadInput("the plan to start with is not feasible", "start with a plan that was found");
  if (!std::ranges::all_of(start.subgraphs, follows) || next != network.ops.size())
    throw BadInput("the plan to start with is not one of network " + network.name,
                   "its groups have to cover the ops of this network");
}

/// The plan to start with, if it is right for this machine and better.
void take_start(const Network& network, const Hardware& hardware, const PlanParams& params,
                NetworkPlan& plan) {
  if (!params.start || plan.status != Status::feasible) return;
  const cost::Score score{plan.weights, cost::in_cycles_of(hardware.clock_hz, plan.reference)};
  const double known = cost::score_of(score, params.start->totals);
  const PeakLimits limits = peak_limits_of(params);
  const auto allowed = [&](const PlannedSubgraph& group) { return limits.allow(group.metrics); };
  if (known >= plan.score * cost::rounding || params.fewest_modes ||
      !std::ranges::all_of(params.start->subgraphs, allowed) ||
      !check_plan(network, hardware, *params.start).empty())
    return;
  NetworkPlan start = *params.start;
  start.score = known;
  start.bound = std::min(plan.bound, known);
  start.optimal = false;
  start.scope = plan.scope;
  start.explored = {std::min(plan.explored.bound, known), false, plan.explored.scope};
  start.group_bounds.clear();
  start.weights = plan.weights;
  start.reference = plan.reference;
  start.baseline = plan.baseline;
  start.baseline_score = plan.baseline_score;
  start.search = plan.search;
  start.stop = plan.stop;
  start.limit_mattered = plan.limit_mattered;
  plan = std::move(start);
}

}  // namespace

}  // namespace tessera::planner

namespace tessera {

std::optional<PlanReference> layer_by_layer(const Network& network, const Hardware& hardware,
                                            const PlanParams& params) {
  planner::require_effort(network, hardware, params);
  const validation::LimitedBudget limited(params.limits);
  try {
    cost::require_engines(network, hardware);
    const Hardware machine = planner::baseline_machine(network, hardware);
    planner::Candidates candidates(network, machine,
                                   {.nodes_per_question = params.nodes_per_question,
                                    .seed = params.limits.seed,
                                    .budget = limited.budget(),
                                    .keep_geometry = params.memory != nullptr},
                                   params.memory ? params.memory : make_plan_memory());
    const planner::SingleOps singles =
        planner::single_ops(candidates, network.ops.size(), params.limits.threads);
    const std::string impossible =
        planner::impossible_op(network, machine, singles, limited.budget()).sentence;
    if (!impossible.empty())
      throw BadInput(
          "layer by layer on " + hardware.name + " cannot be the reference: " + impossible,
          "name another machine with `reference:` in the profile or --reference");
    if (planner::first_open(singles)) return std::nullopt;
    return PlanReference{hardware.name, hardware.clock_hz,
                         planner::with_single_fetches(network, hardware, planner::sum_of(singles))};
  } catch (const std::invalid_argument& error) {
    throw BadInput(error.what());
  }
}

std::shared_ptr<PlanMemory> make_plan_memory() {
  return std::make_shared<PlanMemory>();
}

NetworkPlan plan_network(const Network& network, const Hardware& hardware,
                         const PlanParams& params) {
  planner::require_effort(network, hardware, params);
  if (params.max_ops < 1) throw BadInput("max_ops is 0, but a group has at least one op");
  if (hardware.reference) validation::require_valid(*hardware.reference);
  if (params.reference) validation::require_reference(*params.reference);
  if (params.start) planner::require_start(network, *params.start);
  NetworkPlan plan;
  try {
    cost::require_engines(network, hardware);
    if (hardware.reference) cost::require_engines(network, *hardware.reference);
    plan = planner::within_capacities(network, hardware, params);
    if (plan.status != Status::feasible) return plan;
    planner::take_start(network, hardware, params, plan);
    const planner::PinnedMachine own =
        planner::as_planned(network, hardware, plan.joined, plan.pinned);
    const std::vector<std::string> wrong =
        planner::plan_wrong(own.network, own.hardware, plan, params.limits.threads);
    if (!wrong.empty()) throw InternalError("the checker rejects the plan: " + wrong.front());
    plan.accounting =
        planner::accounting_of(own.network, own.hardware, plan, params.limits.threads);
  } catch (const std::invalid_argument& error) {
    throw BadInput(error.what());
  }
  return plan;
}

}  // namespace tessera
