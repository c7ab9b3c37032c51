// The roles of the off-chip memories of a machine.
//
//   const HardwareMemory* flash = off_chip::weights(hardware);
//   const HardwareMemory* dram = off_chip::activations(hardware);   // perhaps the same one
//
// A memory that a program cannot write (flash) holds the weights. A writable one holds results of
// ops and the network's inputs and outputs. A single memory holds both. A profile has at most one
// of each, and at most one backing memory of the one that holds both (model/unused_keys.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/hardware.h"

namespace tessera::off_chip {

/// Positions in Hardware::memories of the off-chip memories that back no other memory, in the
/// profile's order.
[[nodiscard]] std::vector<std::size_t> memories(const Hardware& hardware);

/// Position in Hardware::memories. require: the memory is one of them.
[[nodiscard]] std::size_t index_of(const Hardware& hardware, const HardwareMemory& memory);

/// Their names, such as "flash and dram".
[[nodiscard]] std::string names(const Hardware& hardware);

/// Null without an off-chip memory.
[[nodiscard]] const HardwareMemory* weights(const Hardware& hardware);

/// Null if no off-chip memory is writable.
[[nodiscard]] const HardwareMemory* activations(const Hardware& hardware);

/// Does a list of Engine::reach name the memory?
[[nodiscard]] bool is_named(const std::vector<std::string>& list, const HardwareMemory& memory);

/// activations() if some engine reads or writes it directly (Engine::reach); else null.
[[nodiscard]] const HardwareMemory* reached(const Hardware& hardware);

/// The backing memory of weights(); null if there is none.
[[nodiscard]] const HardwareMemory* backing(const Hardware& hardware);

}  // namespace tessera::off_chip
