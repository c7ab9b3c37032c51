// Addresses at which weights can be pinned on-chip.
//
//   if (const auto memory = pin_memory(hardware)) ...      // as buffers count the memories there
//   Size bytes = pinned_bytes(network, hardware)[weight];
#pragma once

#include <optional>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"

namespace tessera {

/// The largest on-chip memory without banks, modes and reserved ranges, as an index among on-chip
/// memories: a pinned block takes the same addresses at every step.
[[nodiscard]] std::optional<MemoryIndex> pin_memory(const Hardware& hardware);

/// Converts an index among on-chip memories to one of hardware.memories.
/// require: the index is valid.
[[nodiscard]] std::size_t memory_on_chip(const Hardware& hardware, MemoryIndex index);

/// Bytes of each pinned tensor, encoded if the machine keeps weights encoded. 0 for a tensor that
/// is not a weight with own storage that an op reads.
[[nodiscard]] std::vector<Size> pinned_bytes(const Network& network, const Hardware& hardware);

}  // namespace tessera
