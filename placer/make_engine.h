// The engines of engines.h, made by name. Private to placer/.
//
//   std::unique_ptr<PlacementEngine> engine = make_engine("canonical");
//   auto without = make_engine("canonical", engine_params({"canonical.dominance=off"}));
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "placer/switches.h"
#include "tessera/engines.h"

namespace tessera::placer {

/// nullptr if there is no engine with this name.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_engine(std::string_view name,
                                                                   const EngineParams& params = {});
/// The same for a name given by a user: throws BadInput with the list of engines.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_known_engine(std::string_view name);

/// Throws BadInput unless `name` is "auto" or an engine that supports the problem.
void require_engine(const PlacementProblem& problem, const std::string& name, Objective goal);

/// The goal of engine queries for this objective.
[[nodiscard]] constexpr Objective goal_of(Objective what) {
  return what == Objective::height || what == Objective::benefit ? Objective::fit : what;
}

/// Approximate nanoseconds per unit of its WorkMeter, which puts the engines of a race on one
/// scale. It affects only the balance of a race, never a result. 0: the engine does not count.
/// require: there is an engine of this name.
[[nodiscard]] double ns_per_unit(std::string_view name);

}  // namespace tessera::placer
