// Greedy placement as an engine, for --engine greedy.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace tessera::search {

/// Finds placements or stops (Status::unknown); never proves infeasibility.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_greedy_engine();

}  // namespace tessera::search
