// All parts of a profile that an answer depends on, as one text. Private to planner/.
//
//   memory.get(hardware_key(hardware) + structure, ...);
//
// The implementation names every member of every struct of a profile. A new member that it does not
// name is a compile error.
#pragma once

#include <string>

#include "tessera/hardware.h"

namespace tessera::planner {

/// ensure: equal for two profiles only if no answer distinguishes them. Names of memories and
/// engines count, since answers contain them. The profile's name, its sources and the weights of
/// the score do not count. Off-chip bandwidth beyond that of the bursts in flight of one DMA
/// channel does not count either.
[[nodiscard]] std::string hardware_key(const Hardware& hardware);

/// The part that decides which tiles fit and where their buffers lie: all inputs of tiling::lower()
/// and of the choice of a solver. Without speeds and energies.
[[nodiscard]] std::string placement_key(const Hardware& hardware);

/// The part that decides the cycles of arrays (cost/array_memo.h): the engines and the bandwidth of
/// on-chip memories.
[[nodiscard]] std::string array_key(const Hardware& hardware);

}  // namespace tessera::planner
