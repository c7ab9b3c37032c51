// What is known of one accelerator: a profile, read.
//
//   Hardware hardware = load_profile("nvdla-like");       // files.h
//   problem.memories = placement_memories(hardware);      // the memories buffers are placed into
//   double ns = hardware.memories[1].bandwidth->bytes_per_cycle(hardware.clock_hz);
//
// Plain values. Cycles and counts are bare numbers, energies are picojoules, sizes are bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api.h"
#include "problem.h"

namespace tessera {

/// A speed of data, either of its own (bytes per second) or tied to the clock (bytes per cycle).
struct Bandwidth {
  double amount = 0;  ///< > 0
  bool per_cycle = false;
  /// require: clock_hz > 0.
  [[nodiscard]] constexpr double bytes_per_cycle(double clock_hz) const {
    return per_cycle ? amount : amount / clock_hz;
  }
  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

/// Picojoules per byte moved.
struct AccessEnergy {
  double read_pj = 0;
  double write_pj = 0;
  friend bool operator==(const AccessEnergy&, const AccessEnergy&) = default;
};

enum class EngineKind : std::uint8_t {
  mac_array,  ///< multiplies and adds: convolutions and matrix products
  vector,     ///< everything else, `lanes` elements at a time
};

/// Something that computes. Lists of pairs keep the order of the file.
struct Engine {
  std::string name;
  EngineKind kind = EngineKind::mac_array;
  double energy_pj = 0;  ///< of one multiply-accumulate (mac_array) or one element (vector)

  // mac_array
  std::vector<std::pair<std::string, std::int64_t>> unroll;  ///< dimension -> how many at once
  std::string dtype = "int8";                                ///< at full speed
  std::vector<std::pair<std::string, double>> dtype_factor;  ///< other type -> times the cycles
  std::int64_t fill = 0;                                     ///< cycles until the pipeline is full

  // vector
  std::int64_t lanes = 1;
  std::int64_t startup = 0;  ///< cycles per operator
  double default_cycles_per_vector = 1;
  std::vector<std::pair<std::string, double>> cycles_per_vector;  ///< operator type -> cycles
};

/// A memory with everything besides its address space.
struct HardwareMemory {
  Memory space;          ///< name, capacity, alignment, banks, modes, reserved (problem.h)
  bool offchip = false;  ///< buffers are not placed into it; loads come from and stores go to it
  AccessEnergy energy;
  std::optional<Bandwidth> bandwidth;  ///< always present for an off-chip memory
  Size burst = 1;                      ///< bytes; a transfer takes whole bursts
  std::int64_t latency = 0;            ///< cycles from request to first byte
};

struct Dma {
  std::int64_t channels = 1;
  std::int64_t outstanding = 1;  ///< bursts under way at once
  std::int64_t setup = 0;        ///< cycles per transfer
};

/// The price of two consecutive steps in different modes.
struct ModeSwitch {
  std::int64_t cycles = 0;
  double energy_pj = 0;
};

/// A bank or memory relation between the operands of every op: `input` (each of them), `output`,
/// `weights`. Only same_bank, different_banks, same_memory and different_memories.
struct OperandRestriction {
  RelationKind kind = RelationKind::different_banks;
  std::vector<std::string> operands;
};

enum class WeightPolicy : std::uint8_t { resident, refetch };
enum class HaloPolicy : std::uint8_t { recompute, keep_columns, keep };

/// The variants worth trying; each list has at least one entry.
struct TilingOptions {
  std::vector<bool> double_buffer{false};
  std::vector<WeightPolicy> weights{WeightPolicy::resident, WeightPolicy::refetch};
  std::vector<HaloPolicy> halo{HaloPolicy::recompute};
};

/// Weights of the score, not negative, summing to 1.
struct ObjectiveWeights {
  double latency = 1;
  double energy = 0;
  double dram_bytes = 0;
  double peak_memory = 0;
  double peak_bandwidth = 0;
};

struct Hardware {
  std::string name;
  /// Key of the profile -> where its value comes from ("assumed" where nobody says).
  std::vector<std::pair<std::string, std::string>> provenance;
  double clock_hz = 0;  ///< 0 where the profile has no clock: enough to place, not to simulate
  double static_power_mw = 0;
  std::vector<Engine> engines;
  std::vector<HardwareMemory> memories;
  Dma dma;
  ModeSwitch mode_switch;
  std::vector<OperandRestriction> restrictions;
  TilingOptions tiling;
  ObjectiveWeights objective;
};

/// The memories buffers are placed into: all that are not off-chip, in the profile's order.
[[nodiscard]] TESSERA_API std::vector<Memory> placement_memories(const Hardware& hardware);

}  // namespace tessera
