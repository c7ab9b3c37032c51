#include "planner/hardware_key.h"

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "model/off_chip.h"

namespace tessera::planner {
namespace {

/// Texts and lists are prefixed with their length, so that different values have different texts.
class Key {
 public:
  [[nodiscard]] std::string take() { return std::move(text_); }

  template <typename... Values>
  void add(const Values&... values) {
    (put(values), ...);
  }

 private:
  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number>
  void put(Number number) {
    char digits[40];
    const auto end = [&] {
      if constexpr (std::same_as<Number, bool>)
        return std::to_chars(digits, digits + sizeof digits, number ? 1 : 0).ptr;
      else
        return std::to_chars(digits, digits + sizeof digits, number).ptr;  // a double, exactly
    }();
    text_.append(digits, end);
    text_ += ' ';
  }
  template <typename Choice>
  requires std::is_enum_v<Choice>
  void put(Choice choice) { put(static_cast<std::int64_t>(choice)); }
  void put(const std::string& text) {
    put(text.size());
    text_ += text;
  }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename First, typename Second>
  void put(const std::pair<First, Second>& pair) {
    add(pair.first, pair.second);
  }
  template <typename Value>
  void put(const std::vector<Value>& list) {
    put(list.size());
    for (const Value& value : list) put(value);  // copy: elements of vector<bool> are proxies
  }

  void put(const AddressRange& range) {
    const auto& [begin, end] = range;
    add(begin, end);
  }
  void put(const Bank& bank) {
    const auto& [name, size, roles] = bank;
    add(name, size, roles);
  }
  void put(const Mode& mode) {
    const auto& [name, roles] = mode;
    add(name, roles);
  }
  void put(const Memory& memory) {
    const auto& [name, capacity, alignment, banks, straddle, modes, per_bank, reserved, base] =
        memory;
    add(name, capacity, alignment, banks, straddle, modes, per_bank, reserved, base);
  }
  void put(const Bandwidth& bandwidth) {
    const auto& [amount, per_cycle] = bandwidth;
    add(amount, per_cycle);
  }
  void put(const AccessEnergy& energy) {
    const auto& [read, write] = energy;
    add(read, write);
  }
  void put(const Layout& layout) {
    const auto& [order, brick] = layout;
    for (const std::uint8_t axis : order) put(axis);
    put(brick);
  }
  void put(const WeightCoding& coding) {
    const auto& [ratio, per_channel, granule] = coding;
    add(ratio, per_channel, granule);
  }
  void put(const AccessRates& rates) {
    const auto& [input, weights, output, dma] = rates;
    add(input, weights, output, dma);
  }
  void put(const HardwareMemory& memory) {
    const auto& [space, offchip, writable, behind, layout, energy, bandwidth, write_bandwidth,
                 rates, burst, direct_run, latency, write_latency] = memory;
    add(space, offchip, writable, behind, layout, energy, bandwidth, write_bandwidth, rates, burst,
        direct_run, latency, write_latency);
  }
  void put(const Mapping& mapping) {
    const auto& [name, ops, unroll, at_least, cycles, stationary, least, start, input_depth,
                 pass_depth, wait, folds_columns, spreads_input] = mapping;
    add(name, ops, unroll, at_least, cycles, stationary, least, start, input_depth, pass_depth,
        wait, folds_columns, spreads_input);
  }
  void put(const BlockRule& rule) {
    const auto& [buffer, sum_buffer, most, depth_step, channels, input_granule, sum_bytes,
                 sum_granule, stages, equal, small, partial, transfers] = rule;
    add(buffer, sum_buffer, most, depth_step, channels, input_granule, sum_bytes, sum_granule,
        stages, equal, small, partial, transfers);
  }
  void put(const Engine& engine) {
    const auto& [name, kind, reach, queue, energy, unroll, maps, blocks, cores, output, output_of,
                 unfused_output, channel, channel_of, dtype, dtype_factor, fill, lanes, startup,
                 channels, default_cycles, cycles] = engine;
    add(name, kind, reach.input, reach.weights, reach.output, queue, energy, unroll, maps, blocks,
        cores, output, output_of, unfused_output, channel, channel_of, dtype, dtype_factor, fill,
        lanes, startup, channels, default_cycles, cycles);
  }
  void put(const Dma& dma) {
    const auto& [channels, outstanding, outstanding_writes, setup, weight_slices, convert] = dma;
    add(channels, outstanding, outstanding_writes, setup, weight_slices, convert);
  }
  void put(const ModeSwitch& price) {
    const auto& [cycles, energy] = price;
    add(cycles, energy);
  }
  void put(const OperandRule& rule) {
    const auto& [name, roles, ops, that] = rule;
    add(name, roles, ops, that);
  }
  void put(const OperandRestriction& restriction) {
    const auto& [kind, operands] = restriction;
    add(kind, operands);
  }
  void put(const TilingOptions& tiling) {
    const auto& [double_buffer, weights, halo, stationary, one_copy, reduction, direct, kept_halos,
                 early, engines, concat, pinned] = tiling;
    add(double_buffer, weights, halo, stationary, one_copy, reduction, direct, kept_halos, early,
        engines, concat, pinned);
  }

  std::string text_;
};

}  // namespace

namespace {

/// True if transfers wait for the latency of bursts, whatever the bandwidth (cost/transfer.h). Only
/// if that holds to the last bit.
bool waits_for_bursts(double bytes_per_cycle, const HardwareMemory& memory, std::int64_t latency,
                      std::int64_t outstanding) {
  const double needed = static_cast<double>(memory.burst) * static_cast<double>(outstanding);
  const double served = bytes_per_cycle * static_cast<double>(latency);
  if (served >= needed * (1 + 1e-9)) return true;
  constexpr double fine = 1024;  // numbers that no division rounds
  return served >= needed && bytes_per_cycle * fine == std::floor(bytes_per_cycle * fine) &&
         served < 1e12;
}

/// Reduces off-chip bandwidth to the maximum that can have an effect.
std::vector<HardwareMemory> no_faster_than_of_use(const Hardware& hardware) {
  std::vector<HardwareMemory> memories = hardware.memories;
  // Several channels share the bandwidth, so a part of it may have an effect.
  if (hardware.dma.channels != 1 || !(hardware.clock_hz > 0)) return memories;
  for (HardwareMemory& memory : memories) {
    if (!memory.offchip || !memory.bandwidth || !memory.behind.empty()) continue;
    const Bandwidth any{.amount = 0x1p40, .per_cycle = true};
    const std::int64_t reads = hardware.dma.outstanding;
    const std::int64_t writes = hardware.dma.outstanding_writes.value_or(reads);
    const std::int64_t write_latency = memory.write_latency.value_or(memory.latency);
    const double read = memory.bandwidth->bytes_per_cycle(hardware.clock_hz);
    if (memory.write_bandwidth) {
      if (waits_for_bursts(read, memory, memory.latency, reads)) memory.bandwidth = any;
      const double write = memory.write_bandwidth->bytes_per_cycle(hardware.clock_hz);
      if (waits_for_bursts(write, memory, write_latency, writes)) memory.write_bandwidth = any;
    } else if (waits_for_bursts(read, memory, memory.latency, reads) &&
               (!memory.writable || waits_for_bursts(read, memory, write_latency, writes))) {
      memory.bandwidth = any;
    }
  }
  return memories;
}

}  // namespace

std::string hardware_key(const Hardware& hardware) {
  const auto& [name, provenance, clock, static_power, engines, all_memories, dma, coding,
               mode_switch, restrictions, rules, tiling, objective, reference] = hardware;
  const std::vector<HardwareMemory> memories = no_faster_than_of_use(hardware);
  static_cast<void>(all_memories);
  static_cast<void>(name);
  static_cast<void>(provenance);
  static_cast<void>(objective);
  static_cast<void>(reference);
  Key key;
  key.add(clock, static_power, engines, memories, dma, coding, mode_switch, restrictions, rules,
          tiling);
  return key.take();
}

std::string placement_key(const Hardware& hardware) {
  Hardware bare;
  for (const Engine& engine : hardware.engines) {
    Engine& same = bare.engines.emplace_back();
    same.name = engine.name;
    same.kind = engine.kind;
    same.reach = engine.reach;
    for (const Mapping& mapping : engine.maps) same.maps.emplace_back().ops = mapping.ops;
  }
  for (const HardwareMemory& memory : hardware.memories) {
    HardwareMemory& same = bare.memories.emplace_back();
    same.space = memory.space;
    same.offchip = memory.offchip;
    same.behind = memory.behind;
    same.layout = memory.layout;
  }
  bare.coding = hardware.coding;
  bare.restrictions = hardware.restrictions;
  bare.rules = hardware.rules;
  return hardware_key(bare);
}

std::string array_key(const Hardware& hardware) {
  Hardware bare;
  bare.clock_hz = hardware.clock_hz;
  bare.engines = hardware.engines;
  const bool direct = off_chip::reached(hardware) != nullptr;
  if (direct) bare.dma = hardware.dma;
  for (const HardwareMemory& memory : hardware.memories) {
    if (memory.offchip && !direct) continue;
    HardwareMemory& same = bare.memories.emplace_back(memory);
    same.space = {};
  }
  return hardware_key(bare);
}

}  // namespace tessera::planner
