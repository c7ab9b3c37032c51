#include "search/tiles/decider.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "model/size_layer.h"
#include "tessera/errors.h"

namespace tessera::search {

Refuter::Refuter(const tiling::Lowering& lowering, const TileSearchParams& params,
                 const engine::Memo& memo)
    : params_(params), memo_(memo), load_(lowering.problem) {
  asked_.capacities = lowering.capacities();
}

std::optional<DecidedBy> Refuter::refuted_cheaply(const std::vector<Size>& sizes) {
  // The first step over the capacity suffices.
  if (params_.bounds && load_.first_excess(sizes) > 0) return DecidedBy::bound;
  if (refuted_since(0, sizes)) return DecidedBy::dominance;
  return std::nullopt;
}

bool Refuter::refuted_since(std::size_t refutations, const std::vector<Size>& sizes) {
  if (!params_.dominance) return false;
  asked_.sizes.assign(sizes.begin(), sizes.end());
  return memo_.refutes(asked_, refutations);
}

Decider::Decider(const tiling::Lowering& lowering, const TileSearchParams& params,
                 TileCounters& counters)
    : lowering_(lowering),
      params_(params),
      counters_(counters),
      memo_(lowering.problem),
      refuter_(lowering, params, memo_) {
  asked_.capacities = lowering.capacities();
}

const SizeLayer& Decider::layer(const std::vector<Size>& sizes) {
  asked_.sizes.assign(sizes.begin(), sizes.end());
  return asked_;
}

std::optional<SizeVerdict> Decider::decide_cheaply(const std::vector<Size>& sizes) {
  if (const std::optional<DecidedBy> by = refuted_cheaply(sizes))
    return SizeVerdict{Status::infeasible, *by, nullptr};
  if (params_.carry_over)
    if (auto placement = memo_.placement_for(layer(sizes)))
      return SizeVerdict{Status::feasible, DecidedBy::carry_over, std::move(placement)};
  return std::nullopt;
}

SizeVerdict Decider::decide(const std::vector<Size>& sizes) {
  std::optional<SizeVerdict> decision = decide_cheaply(sizes);
  if (!decision) {
    decision = ask_engine(sizes);
    if (decision->verdict == Status::feasible) memo_.placed(layer(sizes), decision->placement);
    if (decision->verdict == Status::infeasible) memo_.refuted(layer(sizes));
  }
  count(*decision);
  return *decision;
}

void Decider::count(const SizeVerdict& decision) {
  ++counters_.questions;
  switch (decision.by) {
    case DecidedBy::bound:
      ++counters_.by_bound;
      break;
    case DecidedBy::dominance:
      ++counters_.by_dominance;
      break;
    case DecidedBy::carry_over:
      ++counters_.by_carry_over;
      break;
    case DecidedBy::engine:
      ++counters_.by_engine;
      break;
  }
  if (decision.verdict == Status::unknown) ++counters_.unknown;
}

void Decider::require_support() const {
  if (const auto why = params_.engine->unsupported(lowering_.problem, Objective::fit))
    throw BadInput(
        "engine '" + std::string(params_.engine->name()) + "' cannot be used here: " + *why,
        "omit --engine to use a suitable engine, if there is one");
}

SizeVerdict Decider::ask_engine(const std::vector<Size>& sizes) {
  if (counters_.by_engine == 0) require_support();
  engine::SearchParams search{.budget = params_.budget, .seed = params_.seed};
  search.budget.max_nodes = std::min(search.budget.max_nodes, params_.nodes_per_question);
  const auto begin = std::chrono::steady_clock::now();
  if (params_.time_per_question.count() > 0)
    search.budget.deadline = std::min(search.budget.deadline, begin + params_.time_per_question);
  engine::SearchResult found;
  if (params_.sessions) {
    if (!session_) session_ = params_.engine->open(lowering_.problem);
    found = session_->solve(layer(sizes), search);
  } else {
    PlacementProblem fresh = lowering_.problem;
    replace_sizes(fresh, layer(sizes));
    found = params_.engine->solve(fresh, search);
  }
  counters_.engine_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  SizeVerdict decision{found.status, DecidedBy::engine, nullptr, found.step, found.kept};
  if (found.placement)
    decision.placement = std::make_shared<const Placement>(std::move(*found.placement));
  return decision;
}

}  // namespace tessera::search
