#include "solver_engine.h"

#include "facts/feature_sets.h"
#include "rule_forms.h"
#include "session.h"

namespace tessera::encoder {
namespace {

class SolverEngine final : public engine::PlacementEngine {
 public:
  explicit SolverEngine(DecideParams params) : params_(std::move(params)) {}

  std::string_view name() const override { return params_.engine; }
  facts::FeatureSet features() const override {
    return facts::together(
        facts::together(facts::address_features, facts::sharing_features),
        {facts::Feature::parts, facts::Feature::choice_of_memory, facts::Feature::modes,
         facts::Feature::modes_per_bank, facts::Feature::same_bank, facts::Feature::different_banks,
         facts::Feature::adjacent, facts::Feature::rules, facts::Feature::least_cost,
         facts::Feature::least_modes, facts::Feature::least_switches});
  }
  std::optional<std::string> outgrown(const PlacementProblem& problem, Objective) const override {
    return unsupported_rule(problem);
  }
  engine::SearchResult solve(const PlacementProblem& problem,
                             const engine::SearchParams& params) override {
    if (problem.rules.empty()) return decide(problem, params_, params);
    return decide(with_listed_modes(problem), params_, params);
  }
  std::unique_ptr<engine::PlacementSession> open(const PlacementProblem& problem) override {
    // With parts or rules, the clauses hold for these sizes only.
    const facts::FeatureSet used = facts::features_of(problem);
    if (used.contains(facts::Feature::parts) || used.contains(facts::Feature::rules))
      return engine::PlacementEngine::open(problem);
    return make_session(problem, params_);
  }

 private:
  DecideParams params_;
};

}  // namespace

std::unique_ptr<engine::PlacementEngine> make_solver_engine(DecideParams params) {
  return std::make_unique<SolverEngine>(std::move(params));
}

}  // namespace tessera::encoder
