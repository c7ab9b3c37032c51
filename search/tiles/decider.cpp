#include "search/tiles/decider.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>

#include "model/check.h"
#include "model/derived.h"

namespace tessera {
namespace {

/// Sets of buffers live at one step that no other step's set contains.
std::vector<std::vector<BufferIndex>> maximal_live_sets(const PlacementProblem& problem) {
  std::set<std::vector<BufferIndex>> sets;
  for (Step step = 0; step < horizon(problem); ++step) {
    std::vector<BufferIndex> live;
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
      if (live_at(problem.buffers[b], step)) live.push_back(b);
    sets.insert(std::move(live));
  }
  std::vector<std::vector<BufferIndex>> maximal;
  for (const auto& live : sets) {
    const bool inside = std::ranges::any_of(sets, [&](const auto& other) {
      return other.size() > live.size() && std::ranges::includes(other, live);
    });
    if (!inside) maximal.push_back(live);
  }
  return maximal;
}

}  // namespace

Decider::Decider(const Lowering& lowering, const TileSearchParams& params, TileCounters& counters)
    : lowering_(lowering),
      params_(params),
      counters_(counters),
      resized_(lowering.problem),
      live_sets_(maximal_live_sets(lowering.problem)) {
  const PlacementProblem& problem = lowering.problem;
  plain_relations_ = std::ranges::none_of(problem.relations, [](const Relation& relation) {
    return relation.kind == RelationKind::adjacent;
  });
  for (const Memory& memory : problem.memories) {
    Size reserved = 0;
    for (const AddressRange& range : memory.reserved) reserved += range.size();
    granules_.push_back(memory.reserved.empty() ? memory.alignment : 1);
    common_granule_ = std::gcd(common_granule_, granules_.back());
    room_.push_back(std::max<Size>(0, align_up(memory.capacity, granules_.back()) - reserved));
    all_room_ += room_.back();
  }
  for (const Buffer& buffer : problem.buffers) {
    const std::vector<MemoryIndex> allowed = allowed_memories(problem, buffer);
    tied_to_.push_back(allowed.size() == 1 ? std::optional(allowed.front()) : std::nullopt);
  }
  tied_load_.resize(problem.memories.size());
  rounded_.resize(problem.buffers.size());
  tied_size_.resize(problem.buffers.size());
}

Size Decider::over_capacity(const std::vector<Size>& sizes) const {
  return worst_excess(sizes, /*any=*/false);
}

Size Decider::worst_excess(const std::vector<Size>& sizes, bool any) const {
  // Buffers that live at one step need disjoint addresses in the memories they may go to. Two
  // sound counts: each memory against the buffers tied to it, all memories against all buffers.
  // A buffer that starts at a multiple of the alignment leaves nothing of its last granule.
  for (BufferIndex b = 0; b < sizes.size(); ++b) {
    rounded_[b] = align_up(sizes[b], common_granule_);
    tied_size_[b] = tied_to_[b] ? align_up(sizes[b], granules_[*tied_to_[b]]) : 0;
  }
  Size worst = 0;
  for (const std::vector<BufferIndex>& live : live_sets_) {
    Size all = 0;
    std::ranges::fill(tied_load_, 0);
    for (const BufferIndex b : live) {
      all += rounded_[b];
      if (tied_to_[b]) tied_load_[*tied_to_[b]] += tied_size_[b];
    }
    worst = std::max(worst, all - all_room_);
    for (std::size_t m = 0; m < room_.size(); ++m)
      worst = std::max(worst, tied_load_[m] - room_[m]);
    if (any && worst > 0) return worst;
  }
  return worst;
}

std::optional<DecidedBy> Decider::refuted_cheaply(const std::vector<Size>& sizes) const {
  if (params_.bounds && worst_excess(sizes, /*any=*/true) > 0) return DecidedBy::bound;
  if (params_.dominance)
    for (const std::vector<Size>& refuted : refuted_)
      if (covers(sizes, refuted)) return DecidedBy::dominance;
  return std::nullopt;
}

bool Decider::still_fits(const Placed& placed, const std::vector<Size>& sizes) {
  // Relations about neighbours are the only ones that a smaller size can break.
  if (covers(placed.sizes, sizes) && plain_relations_) return true;
  for (BufferIndex b = 0; b < sizes.size(); ++b) resized_.buffers[b].size = sizes[b];
  return check(resized_, *placed.placement, 1).empty();
}

std::optional<Decision> Decider::decide_cheaply(const std::vector<Size>& sizes) {
  if (const std::optional<DecidedBy> by = refuted_cheaply(sizes))
    return Decision{Status::infeasible, *by, nullptr};
  if (params_.carry_over) {
    std::size_t tried = 0;
    for (auto placed = placed_.rbegin(); placed != placed_.rend() && tried < 8; ++placed, ++tried)
      if (still_fits(*placed, sizes))
        return Decision{Status::feasible, DecidedBy::carry_over, placed->placement};
  }
  return std::nullopt;
}

Decision Decider::decide(const std::vector<Size>& sizes) {
  std::optional<Decision> decision = decide_cheaply(sizes);
  if (!decision) {
    decision = ask_engine(sizes);
    remember(sizes, *decision);
  }
  count(*decision);
  return *decision;
}

void Decider::count(const Decision& decision) {
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

Decision Decider::ask_engine(const std::vector<Size>& sizes) {
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
  Decision decision{found.status, DecidedBy::engine, nullptr};
  if (found.placement)
    decision.placement = std::make_shared<const Placement>(std::move(*found.placement));
  return decision;
}

void Decider::remember(const std::vector<Size>& sizes, const Decision& decision) {
  if (decision.verdict == Status::feasible) {
    std::erase_if(placed_, [&](const Placed& p) { return covers(sizes, p.sizes); });
    placed_.push_back({sizes, decision.placement});
  } else if (decision.verdict == Status::infeasible) {
    std::erase_if(refuted_, [&](const std::vector<Size>& r) { return covers(r, sizes); });
    refuted_.push_back(sizes);
  }
}

}  // namespace tessera
