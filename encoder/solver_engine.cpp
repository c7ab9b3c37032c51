#include "solver_engine.h"

#include "facts/feature_sets.h"
#include "session.h"

namespace tessera::encoder {
namespace {

class SolverEngine final : public PlacementEngine {
 public:
  explicit SolverEngine(DecideParams params) : params_(std::move(params)) {}

  std::string_view name() const override { return params_.engine; }
  FeatureSet features() const override {
    return together(together(address_features, sharing_features),
                    {Feature::parts, Feature::choice_of_memory, Feature::modes,
                     Feature::modes_per_bank, Feature::same_bank, Feature::different_banks,
                     Feature::adjacent, Feature::least_cost, Feature::least_modes});
  }
  SearchResult solve(const PlacementProblem& problem, const SearchParams& params) override {
    return decide(problem, params_, params);
  }
  std::unique_ptr<PlacementSession> open(const PlacementProblem& problem) override {
    // Where there are parts, the clauses hold for these sizes alone.
    if (features_of(problem).contains(Feature::parts)) return PlacementEngine::open(problem);
    return make_session(problem, {.decide = params_});
  }

 private:
  DecideParams params_;
};

}  // namespace

std::unique_ptr<PlacementEngine> make_solver_engine(DecideParams params) {
  return std::make_unique<SolverEngine>(std::move(params));
}

}  // namespace tessera::encoder
