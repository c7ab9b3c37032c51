#include "engine/engine.h"

#include "model/size_layer.h"

namespace tessera::engine {
namespace {

/// A session of an engine without state: solves each query from scratch.
class FreshSession final : public PlacementSession {
 public:
  FreshSession(PlacementEngine& engine, const PlacementProblem& problem)
      : engine_(engine), problem_(problem) {}

  SearchResult solve(const SizeLayer& layer, const SearchParams& params) override {
    replace_sizes(problem_, layer);
    return engine_.solve(problem_, params);
  }

 private:
  PlacementEngine& engine_;
  PlacementProblem problem_;
};

}  // namespace

facts::FeatureSet features_asked(const PlacementProblem& problem, Objective goal) {
  facts::FeatureSet asked = facts::features_of(problem);
  if (goal == Objective::cost) asked.add(facts::Feature::least_cost);
  if (goal == Objective::switches) asked.add(facts::Feature::least_switches);
  if (goal == Objective::modes)
    asked.add(asked.contains(facts::Feature::modes_per_bank) ? facts::Feature::least_modes_per_bank
                                                             : facts::Feature::least_modes);
  return asked;
}

std::optional<std::string> PlacementEngine::unsupported(const PlacementProblem& problem,
                                                        Objective goal) const {
  const std::optional<facts::Feature> missing =
      (features_asked(problem, goal) - features()).first();
  if (!missing) return outgrown(problem, goal);
  const std::string where = facts::where_used(problem, *missing);
  return "The engine " + std::string(name()) + " does not support " +
         std::string(facts::name(*missing)) + (where.empty() ? "" : " (" + where + ")") + ".";
}

std::unique_ptr<PlacementSession> PlacementEngine::open(const PlacementProblem& problem) {
  return std::make_unique<FreshSession>(*this, problem);
}

}  // namespace tessera::engine
