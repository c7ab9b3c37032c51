#include "placer/tile_engine.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/set_aside.h"
#include "placer/make_engine.h"

namespace tessera {
namespace {

/// The quick engine first, the thorough one with what is left.
SearchParams quick_params(const SearchParams& params) {
  SearchParams quick = params;
  quick.budget.max_nodes = std::max<std::int64_t>(1, params.budget.max_nodes / 10);
  return quick;
}
bool settled(const SearchResult& found, const SearchParams& params) {
  return found.status != Status::unknown || params.budget.exhausted().has_value();
}

class PairSession final : public PlacementSession {
 public:
  PairSession(PlacementEngine& quick, PlacementEngine& thorough, const PlacementProblem& problem)
      : quick_(quick.open(problem)), thorough_engine_(thorough), problem_(problem) {}

  SearchResult solve(const SizeLayer& layer, const SearchParams& params) override {
    SearchResult found = quick_->solve(layer, quick_params(params));
    if (settled(found, params)) return found;
    if (!thorough_) thorough_ = thorough_engine_.open(problem_);
    return thorough_->solve(layer, params);
  }

 private:
  std::unique_ptr<PlacementSession> quick_;
  std::unique_ptr<PlacementSession> thorough_;  ///< opened when it is first needed
  PlacementEngine& thorough_engine_;
  PlacementProblem problem_;
};

class PairEngine final : public PlacementEngine {
 public:
  PairEngine(std::unique_ptr<PlacementEngine> quick, std::unique_ptr<PlacementEngine> thorough)
      : quick_(std::move(quick)),
        thorough_(std::move(thorough)),
        name_(std::string(quick_->name()) + "+" + std::string(thorough_->name())) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] FeatureSet features() const override {
    return quick_->features() & thorough_->features();
  }
  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Goal goal) const override {
    if (auto why = quick_->outgrown(problem, goal)) return why;
    return thorough_->outgrown(problem, goal);
  }
  [[nodiscard]] SearchResult solve(const PlacementProblem& problem,
                                   const SearchParams& params) override {
    SearchResult found = quick_->solve(problem, quick_params(params));
    return settled(found, params) ? found : thorough_->solve(problem, params);
  }
  [[nodiscard]] std::unique_ptr<PlacementSession> open(const PlacementProblem& problem) override {
    return std::make_unique<PairSession>(*quick_, *thorough_, problem);
  }

 private:
  std::unique_ptr<PlacementEngine> quick_;
  std::unique_ptr<PlacementEngine> thorough_;
  std::string name_;
};

}  // namespace

std::unique_ptr<PlacementEngine> session_engine(FeatureSet needed) {
  auto pair = std::make_unique<PairEngine>(make_engine("canonical"), make_engine("learning"));
  if (pair->features().contains(needed)) return make_aside_engine(std::move(pair));
  for (const char* name : {"learning", "sat"}) {
    std::unique_ptr<PlacementEngine> engine = make_engine(name);
    if (engine->features().contains(needed)) return make_aside_engine(std::move(engine));
  }
  return nullptr;
}

std::unique_ptr<PlacementEngine> tile_engine(const Hardware& hardware) {
  const std::vector<Memory> memories = placement_memories(hardware);
  if (memories.empty())
    throw std::invalid_argument("profile " + hardware.name +
                                " has no on-chip memory: there is nowhere to place buffers");
  FeatureSet needed = features_of(memories);
  if (memories.size() > 1) needed.add(Feature::choice_of_memory);
  for (const OperandRestriction& rule : hardware.restrictions) needed.add(feature_of(rule.kind));
  if (auto engine = session_engine(needed)) return engine;
  throw std::invalid_argument("no engine supports the memories of profile " + hardware.name);
}

}  // namespace tessera
