#include "engine/relax.h"

#include <algorithm>
#include <utility>
#include <vector>

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
  return std::any_of(problem.memories.begin(), problem.memories.end(), rules) ||
         std::any_of(problem.relations.begin(), problem.relations.end(), about_banks_or_soft);
}

PlacementProblem relaxed(const PlacementProblem& problem) {
  PlacementProblem simple = problem;
  for (Memory& memory : simple.memories) {
    memory.modes.clear();
    memory.modes_per_bank = false;
    if (memory.straddle) {  // otherwise the borders are a rule the engines know
      memory.banks.clear();
    } else {
      for (Bank& bank : memory.banks) bank.roles.clear();
    }
  }
  std::erase_if(simple.relations, about_banks_or_soft);
  simple.objective = Objective::fit;
  simple.next_objectives.clear();
  return simple;
}

std::optional<Placement> lift(const PlacementProblem& problem, const Placement& placement) {
  auto modes = facts::settle_modes(problem, placement.places);
  if (!modes) return std::nullopt;
  Placement lifted{.places = placement.places, .modes = std::move(*modes)};
  if (!check(problem, lifted, 1).empty()) return std::nullopt;
  return lifted;
}

}  // namespace tessera::engine
