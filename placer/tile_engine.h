// Engines for sequences of related queries. Private to placer/ and planner/.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "tessera/hardware.h"

namespace tessera::placer {

/// Canonical search and learning in turns: most queries are easy, and the hard ones have flat loads
/// near the capacity, which clause learning decides. Canonical search ignores banks and modes; its
/// placements are then adapted. If it lacks support for other features: the first of learning and
/// sat that has it. Null: no engine.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> session_engine(facts::FeatureSet needed);

/// For queries of a tile search, with the features of the memories and restrictions. "auto" is
/// session_engine(). Any other name is that engine, with the same help: buffers that are live
/// together with all others are set aside, and rules about banks and modes that it does not support
/// are relaxed. Throws std::invalid_argument if there is no memory, or "auto" finds no engine;
/// BadInput for an unknown name.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> tile_engine(
    const Hardware& hardware, const std::string& name = "auto");

}  // namespace tessera::placer
