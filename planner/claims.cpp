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
  plan.proved_over = over_everything();
}

void Plannings::claim_explored(const PathResult& found, NetworkPlan& plan) {
  path_bound_ = found.bound;
  claim(plan);
  if (plan.optimal || params_.tile_shapes > 0 || !found.exact) return;
  plan.bound = plan.score;
  plan.optimal = true;
  plan.proved_over = over_explored();
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

std::string Plannings::over_everything() const {
  std::string text = "partitions into groups of consecutive ops";
  if (params_.max_ops < network_.ops.size())
    text += ", at most " + std::to_string(params_.max_ops) + " ops per group";
  text += ", with any tiling of the profile";
  if (std::ranges::any_of(network_.tensors, [](const Tensor& t) { return t.joined.has_value(); }))
    text += ", with concatenated tensors in place off chip";
  if (params_.residency && !stays_on_chip(hardware_)) text += ", with any residency between groups";
  if (prefetches_) text += ", with any weight prefetch";
  if (!params_.peak_limits.empty()) text += ", within the given peak limits";
  return text;
}

std::string Plannings::over_explored() const {
  std::string text = "partitions into groups of consecutive ops";
  if (params_.max_ops < network_.ops.size())
    text += ", at most " + std::to_string(params_.max_ops) + " ops per group";
  text +=
      params_.tile_shapes > 0
          ? ", each group in the cheapest evaluated tiles of each variant of the profile's tiling"
          : ", each group in its fewest tiles for each variant of the profile's tiling";
  if (params_.residency && !stays_on_chip(hardware_)) text += ", with any residency between groups";
  if (prefetches_) text += ", and weight prefetch on the best of those";
  if (!params_.peak_limits.empty()) text += ", within the given peak limits";
  return text;
}

}  // namespace tessera::planner
