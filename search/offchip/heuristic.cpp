#include "search/offchip/heuristic.h"

#include <string>
#include <utility>

namespace tessera::search {
namespace {

using Place = std::function<HeuristicResult(const PlacementProblem&, const engine::SearchParams&)>;

class HeuristicEngine final : public engine::PlacementEngine {
 public:
  HeuristicEngine(std::string_view name, facts::FeatureSet features, Place place)
      : name_(name), features_(features), place_(std::move(place)) {}

  std::string_view name() const override { return name_; }
  facts::FeatureSet features() const override { return features_; }

  engine::SearchResult solve(const PlacementProblem& problem,
                             const engine::SearchParams& params) override {
    HeuristicResult answer = place_(problem, params);
    engine::SearchResult found;
    found.stats = std::move(answer.stats);
    if (answer.placement) {
      found.status = Status::feasible;
      found.placement = std::move(answer.placement);
    } else {
      found.stop = answer.stop;
      found.reason = "The engine " + std::string(name_) +
                     " found no placement. It is incomplete: use a complete engine for a proof.";
    }
    return found;
  }

 private:
  std::string_view name_;
  facts::FeatureSet features_;
  Place place_;
};

}  // namespace

std::unique_ptr<engine::PlacementEngine> make_heuristic_engine(std::string_view name,
                                                               facts::FeatureSet features,
                                                               Place place) {
  return std::make_unique<HeuristicEngine>(name, features, std::move(place));
}

}  // namespace tessera::search
