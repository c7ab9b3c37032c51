#include "live.h"

#include "model/restricted.h"
#include "solve.h"

namespace tessera::search::learning {

Live::Live(const PlacementProblem& problem, const LearningParams& params, const Budget& budget)
    : order_(by_lives(problem)),
      problem_(restricted(problem, order_).problem),
      params_(params),
      poll_(budget),
      deduction_(params_),
      build_(problem_, Objective::fit, deduction_, params_, Build::Record::renewal, poll_) {
  build_.all();
  search_.emplace(deduction_, build_.plan, params_, 0, nullptr);
}

engine::SearchResult Live::solve(const SizeLayer& layer, const engine::SearchParams& params) {
  poll_ = Poll(params.budget);
  kept_.collect(*search_, deduction_);
  search_->restart();
  replace_numbers(layer);
  build_.renew();
  const bool possible = build_.consistent();
  kept_.begin(size_layer(problem_), build_.fixed_orders());
  const bool exact = kept_.restore(deduction_, build_, build_.plan.offsets);
  engine::SearchResult result;
  if (!build_.consistent()) {
    result.status = Status::infeasible;
    result.reason = possible ? all_excluded : no_rule_holds;
    return result;
  }
  search_->renew(build_.plan, exact);
  search_->counts_from(work_of(poll_, params.budget));
  std::int64_t conflicts_left = params.budget.max_nodes;
  const Outcome outcome = search_->run(params.budget, conflicts_left, result.stop);
  if (outcome == Outcome::solution) {
    result.status = Status::feasible;
    result.placement = placement();
  } else if (outcome == Outcome::refuted) {
    result.status = Status::infeasible;
    result.reason = all_excluded;
  } else {
    result.reason = search_stopped;
  }
  result.kept = kept_.restored();
  add_stats(result, search_->counters(), deduction_.clauses.count());
  return result;
}

void Live::replace_numbers(const SizeLayer& layer) {
  for (BufferIndex b = 0; b < order_.size(); ++b) problem_.buffers[b].size = layer.sizes[order_[b]];
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m)
    problem_.memories[m].capacity = layer.capacities[m];
}

Placement Live::placement() const {
  Placement found = build_.decode();
  Placement spread = found;
  for (BufferIndex b = 0; b < order_.size(); ++b) spread.places[order_[b]] = found.places[b];
  return spread;
}

}  // namespace tessera::search::learning
