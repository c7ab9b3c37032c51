#include "tessera/hardware.h"

namespace tessera {

std::vector<Memory> placement_memories(const Hardware& hardware) {
  std::vector<Memory> memories;
  for (const HardwareMemory& memory : hardware.memories) {
    if (!memory.offchip) memories.push_back(memory.space);
  }
  return memories;
}

}  // namespace tessera
