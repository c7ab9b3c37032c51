#include "placer/tile_engine.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/set_aside.h"
#include "placer/make_engine.h"

namespace tessera::placer {
namespace {

/// The quick engine first, the thorough one with what is left.
engine::SearchParams quick_params(const engine::SearchParams& params) {
  engine::SearchParams quick = params;
  quick.budget.max_nodes = std::max<std::int64_t>(1, params.budget.max_nodes / 10);
  return quick;
}
bool settled(const engine::SearchResult& found, const engine::SearchParams& params) {
  return found.status != Status::unknown || params.budget.exhausted().has_value();
}

class PairSession final : public engine::PlacementSession {
 public:
  PairSession(engine::PlacementEngine& quick, engine::PlacementEngine& thorough,
              const PlacementProblem& problem)
      : quick_(quick.open(problem)), thorough_engine_(thorough), problem_(problem) {}

  engine::SearchResult solve(const SizeLayer& layer, const engine::SearchParams& params) override {
    engine::SearchResult found = quick_->solve(layer, quick_params(params));
    if (settled(found, params)) return found;
    if (!thorough_) thorough_ = thorough_engine_.open(problem_);
    return thorough_->solve(layer, params);
  }

 private:
  std::unique_ptr<engine::PlacementSession> quick_;
  std::unique_ptr<engine::PlacementSession> thorough_;  ///< opened when it is first needed
  engine::PlacementEngine& thorough_engine_;
  PlacementProblem problem_;
};

class PairEngine final : public engine::PlacementEngine {
 public:
  PairEngine(std::unique_ptr<engine::PlacementEngine> quick,
             std::unique_ptr<engine::PlacementEngine> thorough)
      : quick_(std::move(quick)),
        thorough_(std::move(thorough)),
        name_(std::string(quick_->name()) + "+" + std::string(thorough_->name())) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] facts::FeatureSet features() const override {
    return quick_->features() & thorough_->features();
  }
  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    engine::Goal goal) const override {
    if (auto why = quick_->outgrown(problem, goal)) return why;
    return thorough_->outgrown(problem, goal);
  }
  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& params) override {
    engine::SearchResult found = quick_->solve(problem, quick_params(params));
    return settled(found, params) ? found : thorough_->solve(problem, params);
  }
  [[nodiscard]] std::unique_ptr<engine::PlacementSession> open(
      const PlacementProblem& problem) override {
    return std::make_unique<PairSession>(*quick_, *thorough_, problem);
  }

 private:
  std::unique_ptr<engine::PlacementEngine> quick_;
  std::unique_ptr<engine::PlacementEngine> thorough_;
  std::string name_;
};

}  // namespace

std::unique_ptr<engine::PlacementEngine> session_engine(facts::FeatureSet needed) {
  auto pair = std::make_unique<PairEngine>(make_engine("canonical"), make_engine("learning"));
  if (pair->features().contains(needed)) return engine::make_aside_engine(std::move(pair));
  for (const char* name : {"learning", "sat"}) {
    std::unique_ptr<engine::PlacementEngine> engine = make_engine(name);
    if (engine->features().contains(needed)) return engine::make_aside_engine(std::move(engine));
  }
  return nullptr;
}

std::unique_ptr<engine::PlacementEngine> tile_engine(const Hardware& hardware) {
  const std::vector<Memory> memories = placement_memories(hardware);
  if (memories.empty())
    throw std::invalid_argument("profile " + hardware.name +
                                " has no on-chip memory: there is nowhere to place buffers");
  facts::FeatureSet needed = facts::features_of(memories);
  if (memories.size() > 1) needed.add(facts::Feature::choice_of_memory);
  for (const OperandRestriction& rule : hardware.restrictions)
    needed.add(facts::feature_of(rule.kind));
  if (auto engine = session_engine(needed)) return engine;
  throw std::invalid_argument("no engine supports the memories of profile " + hardware.name);
}

}  // namespace tessera::placer
