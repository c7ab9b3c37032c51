#include "planner/tile_engine.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "planner/engines.h"
#include "search/placement/set_aside.h"

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
  std::unique_ptr<PlacementSession> thorough_;
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
  [[nodiscard]] std::optional<std::string> unsupported(const PlacementProblem& problem,
                                                       Goal goal) const override {
    if (auto why = quick_->unsupported(problem, goal)) return why;
    return thorough_->unsupported(problem, goal);
  }
  [[nodiscard]] SearchResult solve(const PlacementProblem& problem,
                                   const SearchParams& params) override {
    SearchResult found = quick_->solve(problem, quick_params(params));
    return settled(found, params) ? found : thorough_->solve(problem, params);
  }
  [[nodiscard]] std::unique_ptr<PlacementSession> open(const PlacementProblem& problem) override {
    std::unique_ptr<PlacementSession> session = quick_->open(problem);
    if (!session || !thorough_->open(problem)) return nullptr;
    return std::make_unique<PairSession>(*quick_, *thorough_, problem);
  }

 private:
  std::unique_ptr<PlacementEngine> quick_;
  std::unique_ptr<PlacementEngine> thorough_;
  std::string name_;
};

}  // namespace

std::unique_ptr<PlacementEngine> tile_engine(const Hardware& hardware) {
  // Two buffers that share a step, with an access each and every restriction between them.
  PlacementProblem probe;
  probe.memories = placement_memories(hardware);
  if (probe.memories.empty())
    throw std::invalid_argument("profile " + hardware.name +
                                " has no on-chip memory: there is nowhere to place buffers");
  for (const char* id : {"a", "b"})
    probe.buffers.push_back({.id = id, .live = {{0, 2}}, .size = 1, .read = {1}, .write = {0}});
  for (const OperandRestriction& rule : hardware.restrictions)
    probe.relations.push_back({rule.kind, {0, 1}, 0});
  auto pair = std::make_unique<PairEngine>(make_engine("canonical"), make_engine("learning"));
  if (!pair->unsupported(probe, Goal::fit)) return make_aside_engine(std::move(pair));
  for (const char* name : {"learning", "sat"}) {
    std::unique_ptr<PlacementEngine> engine = make_engine(name);
    if (engine && !engine->unsupported(probe, Goal::fit))
      return make_aside_engine(std::move(engine));
  }
  throw std::invalid_argument("no engine supports the memories of profile " + hardware.name);
}

}  // namespace tessera
