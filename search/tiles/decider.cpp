#include "search/tiles/decider.h"

#include <algorithm>
#include <chrono>

#include "model/check.h"

namespace tessera {

Decider::Decider(const Lowering& lowering, const TileSearchParams& params, TileCounters& counters)
    : lowering_(lowering),
      params_(params),
      counters_(counters),
      resized_(lowering.problem),
      load_(lowering.problem) {
  const PlacementProblem& problem = lowering.problem;
  plain_relations_ = std::ranges::none_of(problem.relations, [](const Relation& relation) {
    return relation.kind == RelationKind::adjacent;
  });
}

Size Decider::over_capacity(const std::vector<Size>& sizes) const {
  return load_.excess(sizes);
}

std::optional<DecidedBy> Decider::refuted_cheaply(const std::vector<Size>& sizes) const {
  // The first step that is over suffices, unless it is over by less than any step before.
  if (const Size excess = params_.bounds ? load_.first_excess(sizes) : 0; excess > 0) {
    if (excess < least_excess_) least_excess_ = std::min(least_excess_, load_.excess(sizes));
    return DecidedBy::bound;
  }
  if (refuted_since(0, sizes)) return DecidedBy::dominance;
  return std::nullopt;
}

bool Decider::refuted_since(std::size_t refutations, const std::vector<Size>& sizes) const {
  if (!params_.dominance) return false;
  for (auto refuted = refuted_.rbegin();
       refuted != refuted_.rend() && refuted->number >= refutations; ++refuted)
    if (covers(sizes, refuted->sizes)) return true;
  return false;
}

bool Decider::still_fits(const Placed& placed, const std::vector<Size>& sizes) {
  // Relations about neighbours are the only ones that a smaller size can break.
  if (covers(placed.sizes, sizes) && plain_relations_) return true;
  for (BufferIndex b = 0; b < sizes.size(); ++b) resized_.buffers[b].size = sizes[b];
  return check(resized_, *placed.placement, 1).empty();
}

std::optional<SizeVerdict> Decider::decide_cheaply(const std::vector<Size>& sizes) {
  if (const std::optional<DecidedBy> by = refuted_cheaply(sizes))
    return SizeVerdict{Status::infeasible, *by, nullptr};
  if (params_.carry_over) {
    std::size_t tried = 0;
    for (auto placed = placed_.rbegin(); placed != placed_.rend() && tried < 8; ++placed, ++tried)
      if (still_fits(*placed, sizes))
        return SizeVerdict{Status::feasible, DecidedBy::carry_over, placed->placement};
  }
  return std::nullopt;
}

SizeVerdict Decider::decide(const std::vector<Size>& sizes) {
  std::optional<SizeVerdict> decision = decide_cheaply(sizes);
  if (!decision) {
    decision = ask_engine(sizes);
    remember(sizes, *decision);
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

SizeVerdict Decider::ask_engine(const std::vector<Size>& sizes) {
  SearchParams search{.budget = params_.budget, .seed = params_.seed};
  search.budget.max_nodes = std::min(search.budget.max_nodes, params_.nodes_per_question);
  const auto begin = std::chrono::steady_clock::now();
  if (params_.time_per_question.count() > 0)
    search.budget.deadline = std::min(search.budget.deadline, begin + params_.time_per_question);
  SearchResult found;
  if (params_.sessions && !session_opened_) {
    session_ = params_.engine->open(lowering_.problem);
    session_opened_ = true;
  }
  if (session_) {
    found = session_->solve({.sizes = sizes, .capacities = lowering_.capacities()}, search);
  } else {
    for (BufferIndex b = 0; b < sizes.size(); ++b) resized_.buffers[b].size = sizes[b];
    found = params_.engine->solve(resized_, search);
  }
  counters_.engine_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  SizeVerdict decision{found.status, DecidedBy::engine, nullptr};
  if (found.placement)
    decision.placement = std::make_shared<const Placement>(std::move(*found.placement));
  return decision;
}

void Decider::remember(const std::vector<Size>& sizes, const SizeVerdict& decision) {
  if (decision.verdict == Status::feasible) {
    std::erase_if(placed_, [&](const Placed& p) { return covers(sizes, p.sizes); });
    placed_.push_back({sizes, decision.placement});
  } else if (decision.verdict == Status::infeasible) {
    std::erase_if(refuted_, [&](const Refuted& r) { return covers(r.sizes, sizes); });
    refuted_.push_back({sizes, refutations_++});
  }
}

}  // namespace tessera
