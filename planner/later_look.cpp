#include "planner/later_look.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "cost/tiled_group.h"
#include "planner/describe.h"
#include "planner/hardware_key.h"
#include "planner/kept_places.h"
#include "planner/plan_memory.h"
#include "tiling/subgraph.h"

namespace tessera::planner {

LaterLook::LaterLook(const Network& network, const Hardware& hardware, const PlanParams& params,
                     const NetworkPlan& plan)
    : network_(network),
      hardware_(hardware),
      params_(params),
      limited_(params.limits),
      budget_(limited_.budget()),
      score_{plan.weights, cost::in_cycles_of(hardware.clock_hz, plan.reference)},
      limits_(peak_limits_of(params)),
      within_(machine_within(hardware, limits_)),
      readers_(tiling::last_readers(network)),
      pieces_(network, hardware,
              (params.memory ? params.memory : make_plan_memory())
                  ->arrays(array_key(hardware), hardware)),
      makers_(network.tensors.size(), 0) {
  for (OpIndex k = 0; k < network.ops.size(); ++k)
    for (const TensorIndex t : network.ops[k].outputs) makers_[t] = k;
}

CandidateParams LaterLook::candidates_with(std::vector<TensorIndex> stays) const {
  return {.nodes_per_question = params_.nodes_per_question,
          .engine = params_.engine,
          .time_per_question = params_.question_timeout.value_or(std::chrono::nanoseconds{0}),
          .seed = params_.limits.seed,
          .budget = budget_,
          .keep_geometry = params_.memory != nullptr,
          .stays = std::move(stays)};
}

Size LaterLook::peak_of(const std::vector<PlannedSubgraph>& runs) {
  Size peak = 0;
  for (const PlannedSubgraph& run : runs) peak = std::max(peak, run.metrics.peak_bytes);
  return peak;
}

std::size_t LaterLook::run_of(const std::vector<PlannedSubgraph>& runs, OpIndex op) {
  const auto found = std::ranges::lower_bound(
      runs, op, {}, [](const PlannedSubgraph& run) { return run.ops.last; });
  return static_cast<std::size_t>(found - runs.begin());
}

void LaterLook::cost_as_placed(const Piece& piece, PlannedSubgraph& run) const {
  // If no buffer lives through all tiles, each demand has its own placement.
  run.placements.resize(1);
  run.placements.resize(piece.demands.size(), PlannedPlacement(run.placements.front()));
  for (std::size_t d = 0; d < run.placements.size(); ++d)
    run.placements[d].problem = piece_problem(piece, d);
  const Size peak = run.metrics.peak_bytes;
  run.metrics = pieces_.cost(piece, run.placements).metrics;
  run.metrics.peak_bytes = peak;
}

double LaterLook::score_of(const std::vector<PlannedSubgraph>& runs) const {
  const auto allowed = [&](const PlannedSubgraph& run) { return limits_.allow(run.metrics); };
  if (!std::ranges::all_of(runs, allowed)) return std::numeric_limits<double>::infinity();
  return cost::score_of(score_, totals_of(runs));
}

Limits LaterLook::limits_to_settle() const {
  Limits limits = validation::rest_of(params_.limits, budget_);
  limits.work = params_.nodes_per_question;
  return limits;
}

bool LaterLook::settle(std::vector<PlannedSubgraph>& runs, std::size_t first,
                       std::size_t last) const {
  const Limits limits = limits_to_settle();
  // If peaks have a weight, first try the highest single peak as the limit.
  const bool low = cost::peak_weight(score_) > 0;
  PeakLimits peak = limits_;
  if (low)
    for (Size most = 0; const PlannedSubgraph& run : runs) {
      most = std::max(most, run.metrics.peak_bytes);
      peak.peak_bytes = std::min(limits_.peak_bytes, static_cast<double>(most));
    }
  for (const auto& [begin, end] : tied_runs(hardware_, runs)) {
    if (end <= first || begin > last) continue;
    const auto tied = std::span(runs).subspan(begin, end - begin);
    const auto settles = [&](const Hardware& within) {
      return settle_kept(pieces_, within, tied, limits).status == Status::feasible;
    };
    if (!(low && settles(machine_within(hardware_, peak))) && !settles(within_)) return false;
  }
  return true;
}

bool LaterLook::settle_below(std::vector<PlannedSubgraph>& runs, Size peak) const {
  const Limits limits = limits_to_settle();
  PeakLimits below = limits_;
  below.peak_bytes = std::min(below.peak_bytes, static_cast<double>(peak));
  const Hardware within = machine_within(hardware_, below);
  return std::ranges::all_of(tied_runs(hardware_, runs), [&](const auto& stretch) {
    const auto& [begin, end] = stretch;
    return settle_kept(pieces_, within, std::span(runs).subspan(begin, end - begin), limits)
               .status == Status::feasible;
  });
}

std::shared_ptr<const CandidateAnswer> LaterLook::answer_of(Candidates& candidates, OpRange ops) {
  // A group without a tile after this effort is rarely part of a good plan.
  constexpr int most_effort = 2;
  auto answer = candidates.answer(ops);
  for (int effort = 1; answer->options.empty() && !answer->final && effort <= most_effort; ++effort)
    answer = candidates.answer(ops, effort);
  return answer;
}

PlannedSubgraph LaterLook::group_of(Candidates& candidates, OpRange ops,
                                    const PlannedSubgraph& option) const {
  return subgraph_of(network_, hardware_, ops, option, candidates.kept(ops), readers_);
}

std::optional<PlannedSubgraph> LaterLook::best_run(Candidates& candidates, OpRange ops,
                                                   const ShapeGoal& goal,
                                                   SharedWork* shared) const {
  auto answer = answer_of(candidates, ops);
  if (answer->options.empty()) return std::nullopt;
  if (goal.most_shapes > 0 && candidates.refine(ops, goal, shared)) answer = candidates.answer(ops);
  const auto best = std::ranges::min_element(
      answer->options, {}, [&](const PlannedSubgraph& s) { return goal.score(s.metrics); });
  if (goal.score(best->metrics) == std::numeric_limits<double>::infinity()) return std::nullopt;
  return group_of(candidates, ops, *best);
}

std::vector<TensorIndex> LaterLook::stays_of(const std::vector<PlannedSubgraph>& runs) const {
  std::vector<TensorIndex> stays;
  for (const PlannedSubgraph& run : runs)
    for (const TensorIndex t : kept_tensors(network_, run)) stays.push_back(t);
  std::ranges::sort(stays);
  stays.erase(std::unique(stays.begin(), stays.end()), stays.end());
  return stays;
}

bool LaterLook::take_if_better(NetworkPlan& plan, NetworkPlan next) const {
  if (!always_settles(hardware_))
    settle_off_chip(network_, hardware_, budget_, next, params_.limits.threads);
  if (next.status != Status::feasible) return false;
  describe(network_, hardware_, score_, next, params_.limits.threads);
  if (next.score >= plan.score * less) return false;
  plan = std::move(next);
  return true;
}

}  // namespace tessera::planner
