#include "tessera/hardware.h"

namespace tessera {

bool stays_on_chip(const Hardware& hardware) {
  bool none = true;
  for (const HardwareMemory& memory : hardware.memories) {
    if (!memory.offchip) continue;
    if (memory.writable) return false;
    none = false;
  }
  return !none;
}

std::vector<Memory> placement_memories(const Hardware& hardware) {
  std::vector<Memory> memories;
  for (const HardwareMemory& memory : hardware.memories) {
    if (!memory.offchip) memories.push_back(memory.space);
  }
  return memories;
}

}  // namespace tessera
