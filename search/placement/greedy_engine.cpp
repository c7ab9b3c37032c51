#include "search/placement/greedy_engine.h"

#include <optional>
#include <string>
#include <utility>

#include "engine/relax.h"
#include "search/placement/greedy.h"

namespace tessera::search {

namespace {

class GreedyEngine final : public engine::PlacementEngine {
 public:
  std::string_view name() const override { return "greedy"; }

  facts::FeatureSet features() const override { return greedy_features(); }

  engine::SearchResult solve(const PlacementProblem& problem,
                             const engine::SearchParams& params) override {
    GreedyResult quick = place_greedily(problem, {.budget = params.budget, .seed = params.seed});
    engine::SearchResult found;
    found.stats = std::move(quick.stats);
    if (quick.placement) found.placement = engine::lift(problem, *quick.placement);
    if (found.placement) {
      found.status = Status::feasible;
      return found;
    }
    found.stop = params.budget.exhausted().value_or(StopReason::completed);
    found.reason =
        "Greedy placement found no placement. It is incomplete: use a complete engine for a proof.";
    return found;
  }
};

}  // namespace

std::unique_ptr<engine::PlacementEngine> make_greedy_engine() {
  return std::make_unique<GreedyEngine>();
}

}  // namespace tessera::search
