#include "tests/support/machines.h"

namespace tessera::testing {

Hardware toy_machine(Size capacity) {
  Hardware h;
  h.name = "toy";
  h.clock_hz = 1e9;
  Engine mac;
  mac.name = "mac";
  mac.unroll = {{"C", 16}, {"K", 16}};
  Engine vec;
  vec.name = "vec";
  vec.kind = EngineKind::vector;
  vec.lanes = 8;
  h.engines = {mac, vec};
  HardwareMemory sram;
  sram.space.name = "sram";
  sram.space.capacity = capacity;
  HardwareMemory dram;
  dram.space.name = "dram";
  dram.offchip = true;
  dram.bandwidth = Bandwidth{.amount = 4, .per_cycle = true};
  h.memories = {sram, dram};
  return h;
}

}  // namespace tessera::testing
