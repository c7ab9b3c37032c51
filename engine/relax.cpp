#include "engine/relax.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "facts/feature_sets.h"
#include "facts/modes.h"
#include "model/derived.h"
#include "model/relations.h"
#include "tessera/check.h"

namespace tessera::engine {

namespace {

bool about_banks_or_soft(const Relation& relation) {
  return meaning(relation.kind).about_banks || relation.kind == RelationKind::avoid_overlap;
}

}  // namespace

bool has_bank_rules(const PlacementProblem& problem) {
  const auto rules = [](const Memory& memory) {
    return has_modes(memory) || !memory.banks.empty() || !memory.straddle;
  };
  return !problem.rules.empty() ||
         std::any_of(problem.memories.begin(), problem.memories.end(), rules) ||
         std::any_of(problem.relations.begin(), problem.relations.end(), about_banks_or_soft);
}

PlacementProblem relaxed(const PlacementProblem& problem) {
  PlacementProblem simple = problem;
  for (Memory& memory : simple.memories) {
    memory.modes.clear();
    memory.modes_per_bank = false;
    if (memory.straddle) {  // otherwise the borders are a rule that the engines know
      memory.banks.clear();
    } else {
      for (Bank& bank : memory.banks) bank.roles.clear();
    }
  }
  std::erase_if(simple.relations, about_banks_or_soft);
  simple.rules.clear();
  simple.objective = Objective::fit;
  simple.next_objectives.clear();
  return simple;
}

std::optional<Placement> lift(const PlacementProblem& problem, const Placement& placement) {
  auto modes = facts::resolve_modes(problem, placement.places);
  if (!modes) return std::nullopt;
  Placement lifted{.places = placement.places, .modes = std::move(*modes)};
  if (!check(problem, lifted, 1).empty()) return std::nullopt;
  return lifted;
}

namespace {

/// Features that relaxed() removes.
constexpr facts::FeatureSet left_out{
    facts::Feature::banks,     facts::Feature::modes,           facts::Feature::modes_per_bank,
    facts::Feature::same_bank, facts::Feature::different_banks, facts::Feature::avoid_overlap,
    facts::Feature::rules};

SearchResult lift_found(const PlacementProblem& problem, SearchResult found) {
  if (found.status != Status::feasible) return found;
  found.placement = lift(problem, *found.placement);
  if (found.placement) return found;
  found.status = Status::unknown;
  found.stop = StopReason::completed;
  found.reason = "No modes fit the placement that was found without the bank rules.";
  return found;
}

class RelaxingSession final : public PlacementSession {
 public:
  RelaxingSession(PlacementEngine& inner, const PlacementProblem& problem)
      : problem_(problem), relaxed_(relaxed(problem)), inner_(inner.open(relaxed_)) {}

  SearchResult solve(const SizeLayer& layer, const SearchParams& params) override {
    replace_sizes(problem_, layer);
    return lift_found(problem_, inner_->solve(layer, params));
  }

 private:
  PlacementProblem problem_;
  PlacementProblem relaxed_;
  std::unique_ptr<PlacementSession> inner_;
};

class RelaxingEngine final : public PlacementEngine {
 public:
  explicit RelaxingEngine(std::unique_ptr<PlacementEngine> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] std::string_view name() const override { return inner_->name(); }
  [[nodiscard]] facts::FeatureSet features() const override {
    return facts::together(inner_->features(), left_out);
  }
  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Objective goal) const override {
    return inner_->outgrown(relaxed(problem), goal);
  }
  [[nodiscard]] SearchResult solve(const PlacementProblem& problem,
                                   const SearchParams& params) override {
    return lift_found(problem, inner_->solve(relaxed(problem), params));
  }
  [[nodiscard]] std::unique_ptr<PlacementSession> open(const PlacementProblem& problem) override {
    return std::make_unique<RelaxingSession>(*inner_, problem);
  }

 private:
  std::unique_ptr<PlacementEngine> inner_;
};

}  // namespace

std::unique_ptr<PlacementEngine> make_relaxing_engine(std::unique_ptr<PlacementEngine> inner) {
  return std::make_unique<RelaxingEngine>(std::move(inner));
}

}  // namespace tessera::engine
