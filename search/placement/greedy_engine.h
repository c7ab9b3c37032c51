// Greedy placement behind the engine interface: for --engine greedy.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace tessera {

/// Finds placements or gives up (Status::unknown); never says "infeasible".
[[nodiscard]] std::unique_ptr<PlacementEngine> make_greedy_engine();

}  // namespace tessera
