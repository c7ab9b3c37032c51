// Where weights may lie on the chip for good.
//
//   if (const auto memory = pin_memory(hardware)) ...      // as buffers count the memories there
//   Size bytes = pinned_bytes(network, hardware)[weight];
#pragma once

#include <optional>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"

namespace tessera {

/// The largest memory on the chip without banks, modes and reserved ranges: a block of weights
/// takes the same addresses in every step. Memories off the chip are not counted.
[[nodiscard]] std::optional<MemoryIndex> pin_memory(const Hardware& hardware);

/// That of the hardware's memories.  require: there are more on the chip.
[[nodiscard]] std::size_t memory_on_chip(const Hardware& hardware, MemoryIndex index);

/// Per tensor what it takes there, encoded where machines keep it so; 0 of what is no weight with
/// memory of its own that an op reads.
[[nodiscard]] std::vector<Size> pinned_bytes(const Network& network, const Hardware& hardware);

}  // namespace tessera
