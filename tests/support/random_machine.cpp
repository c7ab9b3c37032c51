#include "tests/support/random_machine.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/off_chip.h"
#include "model/stored.h"

namespace tessera::testing {

namespace {

/// A copy of the generator, so that later numbers do not depend on those drawn here.
Random apart(Random random) {
  return Random(static_cast<std::uint64_t>(random.between(0, 1 << 30)));
}

}  // namespace

Mapping random_mapping(Random& random, std::vector<std::string> ops) {
  Mapping mapping{.name = ops.front(), .ops = std::move(ops)};
  for (const char* loop : {"K", "C", "H", "W"})
    if (random.chance(40)) mapping.unroll.emplace_back(loop, random.between(2, 4));
  mapping.unroll.emplace_back(random.chance(50) ? "T" : "S", random.between(1, 3));
  if (random.chance(30)) mapping.at_least.emplace_back("T", 4);
  if (mapping.unroll.back().first == "S" && !mapping.at_least.empty()) mapping.at_least.clear();
  mapping.cycles = static_cast<double>(random.between(1, 3));
  if (random.chance(40)) mapping.least = random.between(1, 12);
  if (random.chance(20)) mapping.start = random.between(1, 12);
  if (random.chance(40)) mapping.input_depth = random.between(1, 8);
  mapping.folds_columns = mapping.spreads_input = random.chance(30);
  Random own = apart(random);
  if (own.chance(30))
    mapping.stationary = own.chance(50) ? StationaryOperand::inputs : StationaryOperand::outputs;
  if (mapping.stationary != StationaryOperand::weights) return mapping;
  if (own.chance(30)) {
    std::int64_t channels = 1;
    for (const auto& [loop, by] : mapping.unroll)
      if (loop == "C") channels = by;
    mapping.pass_depth = channels * own.between(1, 3);
  }
  if (own.chance(30)) mapping.wait = own.between(1, 5);
  return mapping;
}

Engine random_array(Random& random) {
  Engine mac;
  mac.name = "mac";
  mac.fill = random.between(0, 10);
  mac.energy_pj = 0.5;
  if (random.chance(40)) {
    mac.unroll = {{"C", 2}, {"K", random.between(1, 4)}};
    return mac;
  }
  mac.maps.push_back(random_mapping(random, {"conv", "matmul"}));
  if (random.chance(50)) mac.maps.push_back(random_mapping(random, {"conv", "depthwise", "pool"}));
  if (random.chance(30)) mac.maps.push_back(random_mapping(random, {"elementwise", "reduce"}));
  mac.cores = random.between(1, 2);
  if (random.chance(50)) mac.output_cycles = 0.25 * static_cast<double>(random.between(1, 4));
  if (random.chance(30)) {
    mac.output_of = {{"add", 0.75}};
    const bool pools = std::ranges::any_of(mac.maps, [](const Mapping& mapping) {
      return std::ranges::find(mapping.ops, "pool") != mapping.ops.end();
    });
    if (pools) mac.output_of.emplace_back("max_pool", 0.125);
  }
  if (random.chance(30)) mac.channel_cycles = 1.5;
  if (random.chance(50)) {
    mac.blocks.buffer = 64 * random.between(4, 60);
    mac.blocks.most = {{"K", 8}, {"H", 8}, {"W", 8}};
    Random own = apart(random);
    if (random.chance(30)) mac.blocks.most.emplace_back("S", own.between(1, 2));
    if (own.chance(30))
      mac.blocks.partial = PartialBlocks::whole;
    else if (own.chance(40))
      mac.blocks.partial = PartialBlocks::share;
    if (own.chance(30)) mac.blocks.sum_buffer = 64 * own.between(4, 60);
    mac.blocks.depth_step = random.between(1, 4);
    mac.blocks.channels = random.between(1, 4);
    mac.blocks.input_granule = random.chance(50) ? 64 : 1;
    mac.blocks.stages = random.chance(50) ? 4 : 0;
    if (mac.blocks.stages > 0 && own.chance(40)) mac.blocks.transfers = BlockTransfers::overlapped;
    if (random.chance(30)) {
      mac.blocks.equal = EqualBlocks::first;
      mac.blocks.small = 2 * random.between(0, 2);
    }
  }
  return mac;
}

Engine random_lanes(Random& random, bool startup) {
  Engine vec;
  vec.name = "vec";
  vec.kind = EngineKind::vector;
  vec.lanes = random.between(1, 8);
  if (startup) vec.startup = random.between(0, 8);
  vec.energy_pj = 0.1;
  return vec;
}

void randomize_link(Random& random, Hardware& hardware) {
  const auto per_cycle = [&](std::int64_t least, std::int64_t most) {
    return Bandwidth{.amount = static_cast<double>(random.between(least, most)), .per_cycle = true};
  };
  for (HardwareMemory& memory : hardware.memories) {
    if (memory.offchip || random.chance(40))
      memory.bandwidth = per_cycle(1, memory.offchip ? 8 : 32);
    if (memory.bandwidth && random.chance(30))
      memory.write_bandwidth = per_cycle(1, memory.offchip ? 8 : 32);
    const bool waits = std::ranges::any_of(
        hardware.engines, [](const Engine& engine) { return engine.blocks.stages > 0; });
    if (memory.offchip || (memory.bandwidth && waits)) {
      memory.latency = random.between(0, 30);
      if (random.chance(30)) memory.write_latency = random.between(0, 60);
    }
    if (memory.offchip) memory.burst = random.chance(50) ? 8 : 1;
  }
  const bool stated = std::ranges::any_of(hardware.memories, [](const HardwareMemory& memory) {
    return !memory.offchip && memory.bandwidth.has_value();
  });
  for (Engine& engine : hardware.engines)
    if (!stated) {
      engine.blocks.stages = 0;
      engine.blocks.transfers = BlockTransfers::in_turn;
    }
  hardware.dma = {.channels = random.between(1, 3),
                  .outstanding = random.between(1, 16),
                  .outstanding_writes = {},
                  .setup = random.between(0, 10)};
  if (random.chance(30)) hardware.dma.outstanding_writes = random.between(1, 16);
}

void randomize_stored(Random& random, Hardware& hardware) {
  const auto layout = [&] {
    static constexpr const char* some[] = {"NCHW", "NHWC", "NCHW2c", "NHCW3c", "NHWC4c", "NCWH"};
    return *layout_from(some[random.between(0, 5)]);
  };
  const Layout chip = layout();
  for (HardwareMemory& memory : hardware.memories)
    if (!memory.offchip) memory.layout = chip;
  const HardwareMemory* home = off_chip::activations(hardware);
  for (HardwareMemory& memory : hardware.memories)
    if (&memory == home) memory.layout = random.chance(50) ? chip : layout();
  if (home != nullptr && home->layout != chip)
    hardware.dma.convert =
        Bandwidth{.amount = static_cast<double>(random.between(1, 4)), .per_cycle = true};
  const bool array = std::ranges::any_of(
      hardware.engines, [](const Engine& engine) { return engine.kind == EngineKind::mac_array; });
  if (array && random.chance(50))
    hardware.coding = {.ratio = 0.25 * static_cast<double>(random.between(1, 6)),
                       .per_channel = random.between(0, 3),
                       .granule = random.chance(50) ? 4 : 1};
}

Hardware random_machine(Random& random, const MachineWish& wish) {
  Hardware h;
  h.name = "random";
  h.clock_hz = 1e9;
  if (wish.idle_power) h.static_power_mw = random.chance(50) ? 10 : 0;
  const Engine lanes = random_lanes(random, wish.startup);
  h.engines = {random_array(random), lanes};
  HardwareMemory sram;
  sram.space.name = "sram";
  sram.space.capacity =
      std::max<Size>(16, wish.needed * random.between(wish.least_percent, wish.most_percent) / 100);
  sram.space.alignment = random.chance(30) ? 4 : 1;
  if (wish.banks && random.chance(25)) {
    sram.space.capacity = sram.space.capacity / 2 * 2;
    for (const char* bank : {"a", "b"})
      sram.space.banks.push_back({.name = bank, .size = sram.space.capacity / 2});
    sram.space.modes = {{"rw", {Role::read_write, Role::read_write}},
                        {"split", {Role::read, Role::write}}};
    h.mode_switch = {.cycles = random.between(0, 20), .energy_pj = 3};
  }
  sram.energy = {.read_pj = 1, .write_pj = 2};
  HardwareMemory beyond;
  beyond.space.name = wish.writes ? "dram" : "flash";
  beyond.offchip = true;
  beyond.energy = {.read_pj = 50, .write_pj = wish.writes ? 60.0 : 50.0};
  h.memories = {sram, beyond};
  randomize_link(random, h);
  if (!wish.writes) {
    h.memories[1].writable = false;
    h.memories[1].write_bandwidth.reset();
    h.memories[1].write_latency.reset();
    h.dma.outstanding_writes.reset();
  }
  h.tiling.double_buffer = {false, true};
  return h;
}

void add_flash(Random& random, Hardware& hardware) {
  HardwareMemory flash;
  flash.space.name = "flash";
  flash.offchip = true;
  flash.writable = false;
  flash.energy = {.read_pj = static_cast<double>(random.between(1, 99)), .write_pj = 0};
  flash.bandwidth =
      Bandwidth{.amount = static_cast<double>(random.between(1, 8)), .per_cycle = true};
  flash.latency = random.between(0, 30);
  flash.burst = random.chance(50) ? 16 : 1;
  const auto behind = hardware.memories.begin() + (random.chance(50) ? 1 : 2);
  hardware.memories.insert(behind, std::move(flash));
}

void split_reach(Random random, Hardware& hardware) {
  if (random.chance(75)) return;
  const auto home = std::ranges::find(hardware.memories, false, &HardwareMemory::offchip);
  const std::string first = home->space.name;
  HardwareMemory second = *home;
  second.space.name = "results";
  second.space.banks.clear();
  second.space.modes.clear();
  second.space.capacity =
      std::max<Size>(second.space.alignment, second.space.capacity * random.between(20, 150) / 100 /
                                                 second.space.alignment * second.space.alignment);
  second.energy = {.read_pj = static_cast<double>(random.between(1, 9)),
                   .write_pj = static_cast<double>(random.between(1, 9))};
  hardware.memories.push_back(second);
  const bool lanes_too = random.chance(66);
  for (Engine& engine : hardware.engines) {
    const bool array = engine.kind == EngineKind::mac_array;
    if (array)
      engine.reach = {.input = {first}, .weights = {first}, .output = {second.space.name}};
    else if (lanes_too)
      engine.reach = {
          .input = {second.space.name}, .weights = {first}, .output = {second.space.name}};
  }
}

void reach_off_chip(Random random, Hardware& hardware) {
  const HardwareMemory* home = off_chip::activations(hardware);
  if (random.chance(60) || home == nullptr || off_chip::backing(hardware) != nullptr ||
      home->layout != on_chip_layout(hardware))
    return;
  std::vector<std::string> all;
  for (const HardwareMemory& memory : hardware.memories)
    if (!memory.offchip || &memory == home) all.push_back(memory.space.name);
  for (Engine& engine : hardware.engines) {
    if (engine.reach != Reach{}) continue;
    const auto which = random.between(1, 4);  // 4: none
    if (which == 1 || which == 3) engine.reach.input = all;
    if (which == 2 || which == 3) engine.reach.output = all;
  }
  if (off_chip::reached(hardware) == nullptr) return;
  if (random.chance(50) && unbricked(home->layout).order.back() == 1)
    for (HardwareMemory& memory : hardware.memories)
      if (&memory == home && memory.burst > 1)
        memory.direct_run = random.between(1, memory.burst - 1);
  if (random.chance(40)) return;
  hardware.tiling.direct = {random.pick(std::vector{Direct::none, Direct::inputs, Direct::outputs}),
                            Direct::inputs_outputs};
}

void give_modes(Random& random, Hardware& hardware) {
  Memory& memory = hardware.memories.front().space;
  const std::int64_t banks = random.between(2, 4);
  memory.capacity = std::max<Size>(1, memory.capacity / banks) * banks;
  for (std::int64_t b = 0; b < banks; ++b)
    memory.banks.push_back({.name = "b" + std::to_string(b), .size = memory.capacity / banks});
  const std::int64_t modes = random.between(2, 6);
  for (std::int64_t k = 0; k < modes; ++k) {
    Mode mode{.name = "m" + std::to_string(k)};
    for (std::int64_t b = 0; b < banks; ++b)
      mode.roles.push_back(random.pick(std::vector{Role::read_write, Role::read_write, Role::read,
                                                   Role::write, Role::weight, Role::data}));
    memory.modes.push_back(std::move(mode));
  }
  hardware.mode_switch = {.cycles = random.between(0, 20), .energy_pj = 3};
}

}  // namespace tessera::testing
