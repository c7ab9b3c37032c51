#include "model/pinned.h"

#include <algorithm>

#include "model/derived.h"
#include "model/stored.h"

namespace tessera {

std::optional<MemoryIndex> pin_memory(const Hardware& hardware) {
  std::optional<MemoryIndex> found;
  Size most = 0;
  MemoryIndex index = 0;
  for (const HardwareMemory& memory : hardware.memories) {
    if (memory.offchip) continue;
    const Memory& space = memory.space;
    if (space.banks.empty() && space.reserved.empty() && !has_modes(space) &&
        space.capacity > most) {
      found = index;
      most = space.capacity;
    }
    ++index;
  }
  return found;
}

std::size_t memory_on_chip(const Hardware& hardware, MemoryIndex index) {
  std::size_t at = 0;
  for (; hardware.memories[at].offchip || index > 0; ++at)
    if (!hardware.memories[at].offchip) --index;
  return at;
}

std::vector<Size> pinned_bytes(const Network& network, const Hardware& hardware) {
  std::vector<Size> bytes(network.tensors.size(), 0);
  for (const Op& op : network.ops)
    for (const TensorIndex t : operands(op)) {
      const TensorIndex storage = storage_of(network, t);
      if (network.tensors[storage].kind == TensorKind::weight)
        bytes[storage] = bytes_of(network.tensors[storage]).whole();
    }
  if (!hardware.coding) return bytes;
  for (const Op& op : network.ops)
    if (const auto weight = multiplied_by(network, op, hardware))
      bytes[weight->tensor] = weight->bytes.whole();
  return bytes;
}

}  // namespace tessera
