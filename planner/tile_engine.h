// Which engine answers the questions of a tile search on this hardware. Private to planner/.
#pragma once

#include <memory>

#include "model/engine.h"
#include "model/hardware.h"

namespace tessera {

/// What it has to support follows from the memories and the restrictions alone. Where canonical
/// search does: that, and learning where it gives up after a tenth of the nodes allowed (most
/// questions are easy; the hard ones are flat loads just above or below the capacity, which
/// clauses settle). Else the first of learning and sat that supports every problem lowered for
/// this hardware.
[[nodiscard]] std::unique_ptr<PlacementEngine> tile_engine(const Hardware& hardware);

}  // namespace tessera
