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

/// nullptr where there is no engine of this name.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_engine(std::string_view name,
                                                                   const EngineParams& params = {});
/// The same for a name a user gave: throws BadInput that says which engines there are.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_known_engine(std::string_view name);

/// `name` is "auto", or that of an engine that takes the problem. Throws BadInput where it is not.
void require_engine(const PlacementProblem& problem, const std::string& name, Objective goal);

/// Rough nanoseconds per unit of its WorkMeter: puts engines in a race on one scale. Only the
/// balance of a race depends on it, never the soundness of an answer. 0: it does not count.
/// require: there is an engine of this name.
[[nodiscard]] double ns_per_unit(std::string_view name);

}  // namespace tessera::placer
