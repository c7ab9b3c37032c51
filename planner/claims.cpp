// Bounds of plans that were not evaluated, and the scope of proofs.
#include <algorithm>
#include <string>

#include "cost/score.h"
#include "planner/cover_bound.h"
#include "planner/plannings.h"

namespace tessera::planner {

void Plannings::claim(NetworkPlan& plan) {
  double bound = path_bound_;
  if (bound == 0) {
    bound = least_of_all(plan, false, whole_.budget());
    if (prefetches_) bound = std::min(bound, least_of_all(plan, true, whole_.budget()));
  }
  plan.bound = std::min(plan.score, bound);
  plan.optimal = plan.bound >= plan.score * cost::rounding;
  if (plan.optimal) plan.bound = plan.score;
  plan.scope = scope(PlanScope::Tiles::any);
}

void Plannings::claim_explored(const PathResult& found, NetworkPlan& plan) {
  path_bound_ = found.bound;
  floors_ = found.floors;
  claim(plan);
  if (plan.optimal || params_.tile_shapes > 0 || !found.exact) return;
  plan.bound = plan.score;
  plan.optimal = true;
  plan.scope = explored_scope();
}

/// Nothing, if a later phase chose a group that the search did not know.
void Plannings::bound_groups(NetworkPlan& plan) const {
  const cost::Score score{plan.weights, cost::in_cycles_of(hardware_.clock_hz, plan.reference)};
  plan.group_bounds.clear();
  for (const PlannedSubgraph& group : plan.subgraphs) {
    const auto floor = std::ranges::find_if(floors_, [&](const GroupFloor& each) {
      return each.ops == group.ops && each.kept == group.kept;
    });
    if (floor == floors_.end()) return plan.group_bounds.clear();
    const double part = cost::additive_score(score, group.metrics);
    plan.group_bounds.push_back({part, std::min(part, floor->cost), floor->least});
  }
}

double Plannings::least_of_all(const NetworkPlan& plan, bool early, const Budget& budget) {
  Least& least = least_of_all_[early ? 1 : 0];
  if (least.whole || (least.bound > 0 && budget.exhausted())) return least.bound;
  const cost::Score score{plan.weights, cost::in_cycles_of(hardware_.clock_hz, plan.reference)};
  const std::size_t max_ops =
      early ? std::min(params_.max_ops, network_.ops.size() - 1) : params_.max_ops;
  const double bound =
      bound_of_plans(network_, hardware_, params_, {score, max_ops, early, budget});
  least = {std::max(least.bound, bound), !budget.exhausted()};
  return least.bound;
}

void Plannings::bounds_in_time(const NetworkPlan& plan) {
  least_of_all(plan, false, validation::without_last(2, limited_.budget()));
  if (prefetches_) least_of_all(plan, true, validation::without_last(2, limited_.budget()));
}

PlanScope Plannings::scope(PlanScope::Tiles tiles) const {
  PlanScope scope{.tiles = tiles};
  if (params_.max_ops < network_.ops.size()) scope.max_ops = params_.max_ops;
  scope.joined =
      tiles == PlanScope::Tiles::any &&
      std::ranges::any_of(network_.tensors, [](const Tensor& t) { return t.joined.has_value(); });
  scope.residency = params_.residency && !stays_on_chip(hardware_);
  if (prefetches_) scope.prefetch = PlanScope::Prefetch::any;
  scope.peak_limits = !params_.peak_limits.empty();
  return scope;
}

PlanScope Plannings::explored_scope() const {
  PlanScope explored =
      scope(params_.tile_shapes > 0 ? PlanScope::Tiles::evaluated : PlanScope::Tiles::fewest);
  if (prefetches_) explored.prefetch = PlanScope::Prefetch::on_best;
  return explored;
}

}  // namespace tessera::planner
