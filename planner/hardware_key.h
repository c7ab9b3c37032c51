// All of a profile that an answer can depend on, as one text. Private to planner/.
//
//   memory.get(hardware_key(hardware) + structure, ...);
//
// Every member of every struct of a profile is named where the text is made: one that is added and
// not named there does not compile.
#pragma once

#include <string>

#include "tessera/hardware.h"

namespace tessera::planner {

/// ensure: equal for two profiles only if no answer can tell them apart. Names of memories and
/// engines count, since answers contain them; the profile's own name, where its figures come from
/// and the weights of the score do not; nor does by how much the memory off the chip is faster than
/// the bursts that one DMA channel has under way.
[[nodiscard]] std::string hardware_key(const Hardware& hardware);

/// The part of it that decides which tiles fit, and where their buffers lie: what lower() of
/// tiling/ and the choice of an engine look at. Speeds and energies are not in it.
[[nodiscard]] std::string placement_key(const Hardware& hardware);

/// The part of it that decides what arrays take (cost/array_memo.h): the engines, and how fast
/// memories on the chip serve them.
[[nodiscard]] std::string array_key(const Hardware& hardware);

}  // namespace tessera::planner
