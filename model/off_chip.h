// Which memory off the chip holds what.
//
//   const HardwareMemory* flash = off_chip::weights(hardware);
//   const HardwareMemory* dram = off_chip::activations(hardware);   // perhaps the same one
//
// A memory that a running program cannot write (flash) holds the weights; what ops make, inputs and
// results lie in the one that it can write. Where there is one memory, it holds all it can. A
// profile has one of each at most, and one behind the one that holds both (model/hardware_idle.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/hardware.h"

namespace tessera::off_chip {

/// Those off the chip and behind no other, in the profile's order: positions in
/// Hardware::memories.
[[nodiscard]] std::vector<std::size_t> memories(const Hardware& hardware);

/// Their names: "flash and dram".
[[nodiscard]] std::string names(const Hardware& hardware);

/// Nothing where there is no memory off the chip.
[[nodiscard]] const HardwareMemory* weights(const Hardware& hardware);

/// Nothing where no program can write off the chip.
[[nodiscard]] const HardwareMemory* activations(const Hardware& hardware);

/// Does a list of Engine::reach name the memory?
[[nodiscard]] bool is_named(const std::vector<std::string>& list, const HardwareMemory& memory);

/// activations(), where some engine reads or writes there itself (Engine::reach); else nothing.
[[nodiscard]] const HardwareMemory* reached(const Hardware& hardware);

/// The one behind weights(): nothing where none is.
[[nodiscard]] const HardwareMemory* behind(const Hardware& hardware);

}  // namespace tessera::off_chip
