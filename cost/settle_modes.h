// Among the mode schedules a placement allows, one that switches least.
//
//   placement.modes = settle_modes(problem, placement.places);
//
// Engines decide where buffers go and pick any mode that works at each step; where several do,
// staying in one saves switching time and energy, and shows which modes are really needed.
#pragma once

#include <string>
#include <vector>

#include "model/placement.h"

namespace tessera {

/// require: places pass the checker with some schedule of modes.
/// ensure: they pass it with the returned one too; no schedule has fewer switches from step to
/// step (a memory with modes_per_bank: fewest per bank). Where the places allow no mode at some
/// step, nothing is returned for that memory.
[[nodiscard]] std::vector<std::vector<std::string>> settle_modes(
    const PlacementProblem& problem, const std::vector<BufferPlace>& places);

}  // namespace tessera
