#include "engine.h"

#include "build.h"
#include "facts/feature_sets.h"
#include "facts/modes.h"
#include "session.h"
#include "solve.h"

namespace tessera {
namespace learning {
namespace {

constexpr std::size_t most_parts = 4096;     // parts of buffers: three tables of parts x parts
constexpr std::size_t most_pairs = 1 << 20;  // pairs live at one time

class Engine final : public PlacementEngine {
 public:
  explicit Engine(const LearningParams& params) : params_(params) {}

  [[nodiscard]] std::string_view name() const override { return "learning"; }

  [[nodiscard]] FeatureSet features() const override {
    return together(together(address_features, sharing_features),
                    {Feature::choice_of_memory, Feature::modes, Feature::modes_per_bank,
                     Feature::same_bank, Feature::different_banks, Feature::adjacent,
                     Feature::least_cost, Feature::least_modes, Feature::least_modes_per_bank});
  }

  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Goal goal) const override {
    const auto [parts, pairs] = live_pairs(problem);
    if (parts > most_parts || pairs > most_pairs)
      return "The learning engine takes up to " + std::to_string(most_parts) +
             " buffers (parts of them, where there are gaps) and " + std::to_string(most_pairs) +
             " pairs that live at one time; this problem has " + std::to_string(parts) + " and " +
             std::to_string(pairs) + ".";
    if (goal == Goal::modes)
      for (const Memory& memory : problem.memories)
        if (memory.modes_per_bank && !joint_modes(memory, 4096))
          return "The learning engine counts modes only where a memory has at most 4096 of them; "
                 "memory '" +
                 memory.name + "' has more.";
    return std::nullopt;
  }

  [[nodiscard]] SearchResult solve(const PlacementProblem& problem,
                                   const SearchParams& params) override {
    return solve_once(problem, params_, params, nullptr);
  }

  [[nodiscard]] std::unique_ptr<PlacementSession> open(const PlacementProblem& problem) override {
    return make_session(problem, params_);
  }

 private:
  LearningParams params_;
};

}  // namespace
}  // namespace learning

std::unique_ptr<PlacementEngine> make_learning_engine(const LearningParams& params) {
  return std::make_unique<learning::Engine>(params);
}

}  // namespace tessera
