#include "model/off_chip.h"

#include <algorithm>

namespace tessera::off_chip {
namespace {

const HardwareMemory* first(const Hardware& hardware, bool writable) {
  for (const HardwareMemory& memory : hardware.memories)
    if (memory.offchip && memory.behind.empty() && memory.writable == writable) return &memory;
  return nullptr;
}

}  // namespace

std::vector<std::size_t> memories(const Hardware& hardware) {
  std::vector<std::size_t> result;
  for (std::size_t m = 0; m < hardware.memories.size(); ++m)
    if (hardware.memories[m].offchip && hardware.memories[m].behind.empty()) result.push_back(m);
  return result;
}

std::size_t index_of(const Hardware& hardware, const HardwareMemory& memory) {
  return static_cast<std::size_t>(&memory - hardware.memories.data());
}

std::string names(const Hardware& hardware) {
  std::string names;
  for (const std::size_t m : memories(hardware))
    names += (names.empty() ? "" : " and ") + hardware.memories[m].space.name;
  return names;
}

const HardwareMemory* weights(const Hardware& hardware) {
  const HardwareMemory* constant = first(hardware, false);
  return constant != nullptr ? constant : first(hardware, true);
}

const HardwareMemory* activations(const Hardware& hardware) {
  return first(hardware, true);
}

bool is_named(const std::vector<std::string>& list, const HardwareMemory& memory) {
  return std::ranges::find(list, memory.space.name) != list.end();
}

const HardwareMemory* reached(const Hardware& hardware) {
  const HardwareMemory* home = activations(hardware);
  if (home == nullptr) return nullptr;
  for (const Engine& engine : hardware.engines)
    if (is_named(engine.reach.input, *home) || is_named(engine.reach.output, *home)) return home;
  return nullptr;
}

const HardwareMemory* backing(const Hardware& hardware) {
  for (const HardwareMemory& memory : hardware.memories)
    if (memory.offchip && !memory.behind.empty()) return &memory;
  return nullptr;
}

}  // namespace tessera::off_chip
