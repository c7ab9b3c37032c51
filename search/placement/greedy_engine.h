// Greedy placement behind the engine interface: for --engine greedy.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace tessera::search {

/// Finds placements or gives up (Status::unknown); never says "infeasible".
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_greedy_engine();

}  // namespace tessera::search
