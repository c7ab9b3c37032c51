// Which engine answers the questions of a tile search on this hardware. Private to planner/.
#pragma once

#include <memory>

#include "model/engine.h"
#include "model/hardware.h"

namespace tessera {

/// The first of canonical, learning and sat that supports every problem lowered for the hardware:
/// what it has to support follows from the memories and the restrictions alone.
[[nodiscard]] std::unique_ptr<PlacementEngine> tile_engine(const Hardware& hardware);

}  // namespace tessera
