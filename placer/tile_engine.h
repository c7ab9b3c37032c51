// Which engine answers questions that come one after the other. Private to placer/ and planner/.
#pragma once

#include <memory>

#include "engine/engine.h"
#include "tessera/hardware.h"

namespace tessera::placer {

/// Canonical search and learning by turns: most questions are easy, and the hard ones are flat
/// loads just above or below the capacity, which clauses settle. Of banks and modes canonical
/// search is told nothing; what it finds is lifted. Where it does not know the rest, the first of
/// learning and sat that does. Null: none.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> session_engine(facts::FeatureSet needed);

/// For the questions of a tile search: what they need follows from the memories and restrictions.
/// Throws std::invalid_argument where there is no memory, or no engine.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> tile_engine(const Hardware& hardware);

}  // namespace tessera::placer
