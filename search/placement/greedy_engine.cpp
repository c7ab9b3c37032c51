#include "search/placement/greedy_engine.h"

#include <optional>
#include <string>
#include <utility>

#include "engine/relax.h"
#include "model/derived.h"
#include "search/placement/boxing/instance.h"
#include "search/placement/boxing/stacking.h"
#include "search/placement/greedy.h"

namespace tessera::search {

namespace {

constexpr const char* skyline = "skyline";

/// Places the buffers of one memory row by row. False: not within its capacity. Throws BudgetEnded.
bool place_rows(const PlacementProblem& problem, MemoryIndex m, const Budget& budget,
                Placement& placement) {
  std::vector<BufferIndex> buffers;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    if (allowed_memories(problem, problem.buffers[b]).front() == m) buffers.push_back(b);
  Poll poll(budget);
  const boxing::Instance instance = boxing::make_instance(problem, m, buffers, &poll);
  std::vector<float> lives;
  for (const BufferIndex b : instance.source) {
    const std::vector<StepRange>& live = problem.buffers[b].live;
    lives.push_back(static_cast<float>(live.back().upper - live.front().lower));
  }
  std::vector<Offset> offsets;
  boxing::Stacker stacker(instance);
  if (stacker.stack(lives, problem.memories[m].capacity, budget, offsets) >
      problem.memories[m].capacity)
    return false;
  for (std::size_t j = 0; j < offsets.size(); ++j)
    placement.places[instance.source[j]] = {m, offsets[j]};
  return true;
}

std::optional<Placement> place_rows(const PlacementProblem& problem, const Budget& budget) {
  Placement placement;
  placement.places.resize(problem.buffers.size());
  placement.modes.resize(problem.memories.size());
  try {
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m)
      if (!place_rows(problem, m, budget, placement)) return std::nullopt;
  } catch (const BudgetEnded&) {
    return std::nullopt;
  }
  return placement;
}

class GreedyEngine final : public engine::PlacementEngine {
 public:
  explicit GreedyEngine(std::string order) : order_(std::move(order)) {}

  std::string_view name() const override { return "greedy"; }

  facts::FeatureSet features() const override {
    if (order_ != skyline) return greedy_features();
    return {facts::Feature::several_memories, facts::Feature::buffer_alignment,
            facts::Feature::several_lives,    facts::Feature::gap,
            facts::Feature::gap_window,       facts::Feature::avoid_overlap};
  }

  engine::SearchResult solve(const PlacementProblem& problem,
                             const engine::SearchParams& params) override {
    engine::SearchResult found;
    if (order_ == skyline) {
      found.placement = place_rows(problem, params.budget);
    } else {
      GreedyResult quick = place_greedily(problem, {.budget = params.budget,
                                                    .seed = params.seed,
                                                    .only_order = order_ == "all" ? "" : order_});
      found.stats = std::move(quick.stats);
      if (quick.placement) found.placement = engine::lift(problem, *quick.placement);
    }
    if (found.placement) {
      found.status = Status::feasible;
      return found;
    }
    found.stop = params.budget.exhausted().value_or(StopReason::completed);
    found.reason =
        "Greedy placement found no placement. It is incomplete: use a complete engine for a proof.";
    return found;
  }

 private:
  std::string order_;
};

}  // namespace

std::unique_ptr<engine::PlacementEngine> make_greedy_engine(const std::string& order) {
  return std::make_unique<GreedyEngine>(order);
}

std::vector<std::string> greedy_engine_orders() {
  std::vector<std::string> orders = greedy_orders();
  orders.emplace_back(skyline);
  return orders;
}

}  // namespace tessera::search
