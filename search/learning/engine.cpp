#include "engine.h"

#include <algorithm>

#include "build.h"
#include "facts/feature_sets.h"
#include "model/joint_modes.h"
#include "session.h"
#include "solve.h"

namespace tessera::search {
namespace learning {
namespace {

constexpr std::size_t most_parts = 4096;     // parts of buffers: three tables of parts x parts
constexpr std::size_t most_pairs = 1 << 20;  // pairs live at the same step

bool takes_parts_of(const PlacementProblem& problem) {
  for (const Memory& memory : problem.memories)
    if (!memory.banks.empty() || has_modes(memory)) return false;
  return std::all_of(problem.relations.begin(), problem.relations.end(), [](const Relation& each) {
    return each.kind == RelationKind::same_memory ||
           each.kind == RelationKind::different_memories || each.kind == RelationKind::disjoint ||
           each.kind == RelationKind::may_overlap;
  });
}

class Engine final : public engine::PlacementEngine {
 public:
  explicit Engine(const LearningParams& params) : params_(params) {}

  [[nodiscard]] std::string_view name() const override { return "learning"; }

  [[nodiscard]] facts::FeatureSet features() const override {
    return facts::together(
        facts::together(facts::address_features, facts::sharing_features),
        {facts::Feature::parts, facts::Feature::choice_of_memory, facts::Feature::modes,
         facts::Feature::modes_per_bank, facts::Feature::same_bank, facts::Feature::different_banks,
         facts::Feature::adjacent, facts::Feature::least_cost, facts::Feature::least_modes,
         facts::Feature::least_modes_per_bank, facts::Feature::least_switches});
  }

  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Objective goal) const override {
    if (has_parts(problem) && !takes_parts_of(problem))
      return "The learning engine supports buffers with parts only if no memory has banks or modes "
             "and all relations are about shared memories or addresses.";
    const auto [parts, pairs] = live_pairs(problem);
    if (parts > most_parts || pairs > most_pairs)
      return "The learning engine supports at most " + std::to_string(most_parts) +
             " buffers (counting parts of buffers with gaps) and " + std::to_string(most_pairs) +
             " pairs of simultaneously live buffers; this problem has " + std::to_string(parts) +
             " and " + std::to_string(pairs) + ".";
    if (goal == Objective::modes)
      for (const Memory& memory : problem.memories)
        if (memory.modes_per_bank && !joint_modes(memory, most_counted_modes))
          return "The learning engine minimises modes only for memories with at most 4096 modes; "
                 "memory '" +
                 memory.name + "' has more.";
    return std::nullopt;
  }

  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& params) override {
    return solve_once(problem, params_, params, nullptr);
  }

  [[nodiscard]] std::unique_ptr<engine::PlacementSession> open(
      const PlacementProblem& problem) override {
    return make_session(problem, params_);
  }

 private:
  LearningParams params_;
};

}  // namespace
}  // namespace learning

std::unique_ptr<engine::PlacementEngine> make_learning_engine(const LearningParams& params) {
  return std::make_unique<learning::Engine>(params);
}

}  // namespace tessera::search
