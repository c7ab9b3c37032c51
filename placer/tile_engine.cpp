#include "placer/tile_engine.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/alternate.h"
#include "engine/relax.h"
#include "engine/set_aside.h"
#include "placer/make_engine.h"

namespace tessera::placer {
namespace {

/// Virtual time in which canonical search without bank rules places most feasible queries. Refuting
/// without them takes as long as with them and proves less.
constexpr double brief_ns = 3e5;

engine::Alternate alternate(const char* name) {
  return {make_engine(name), ns_per_unit(name)};
}

}  // namespace

std::unique_ptr<engine::PlacementEngine> session_engine(facts::FeatureSet needed) {
  std::vector<engine::Alternate> both;
  both.push_back(alternate("canonical"));
  both.push_back(alternate("learning"));
  if (!both[0].engine->features().contains(needed)) {
    both[0].engine = engine::make_relaxing_engine(std::move(both[0].engine));
    both[0].most_ns = brief_ns;
  }
  auto pair = engine::make_alternating_engine(std::move(both));
  if (pair->features().contains(needed)) return engine::make_aside_engine(std::move(pair));
  for (const char* name : {"learning", "sat"}) {
    std::unique_ptr<engine::PlacementEngine> engine = make_engine(name);
    if (engine->features().contains(needed)) return engine::make_aside_engine(std::move(engine));
  }
  return nullptr;
}

std::unique_ptr<engine::PlacementEngine> tile_engine(const Hardware& hardware,
                                                     const std::string& name) {
  const std::vector<Memory> memories = placement_memories(hardware);
  if (memories.empty())
    throw std::invalid_argument("profile " + hardware.name + " has no on-chip memory for buffers");
  facts::FeatureSet needed = facts::features_of(memories);
  if (memories.size() > 1) needed.add(facts::Feature::choice_of_memory);
  for (const OperandRestriction& rule : hardware.restrictions)
    needed.add(facts::feature_of(rule.kind));
  if (!hardware.rules.empty()) needed.add(facts::Feature::rules);
  if (name != "auto") {
    std::unique_ptr<engine::PlacementEngine> chosen = make_known_engine(name);
    if (!chosen->features().contains(needed))
      chosen = engine::make_relaxing_engine(std::move(chosen));
    return engine::make_aside_engine(std::move(chosen));
  }
  if (auto engine = session_engine(needed)) return engine;
  throw std::invalid_argument("no engine supports the memories of profile " + hardware.name);
}

}  // namespace tessera::placer
