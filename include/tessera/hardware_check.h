// Validation of hardware profiles.
//
//   for (const HardwareDefect& defect : check_hardware(hardware)) std::cerr << defect.message;
//
// The profile reader calls this as well, so a Hardware built in code obeys the same rules as one
// read from a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "hardware.h"

namespace tessera {

/// Beyond any real machine, and small enough that computations with these values stay in the range
/// of a double. cost/ checks sums of cycles and bytes.
namespace hardware_limits {
inline constexpr std::int64_t parallel = std::int64_t{1}
                                         << 24;  ///< unroll, lanes, bursts in flight
inline constexpr double most_cells = 1e12;       ///< MACs of one array
inline constexpr std::int64_t channels = 1024;
inline constexpr std::int64_t cycles = std::int64_t{1}
                                       << 40;  ///< latency, setup, fill, mode switch
inline constexpr Size burst = Size{1} << 30;
inline constexpr std::int64_t brick = 1 << 20;  ///< channels of a brick
inline constexpr double least_clock_hz = 1;
inline constexpr double most_clock_hz = 1e15;
inline constexpr double least_bandwidth = 1e-6;  ///< bytes per second or per cycle
inline constexpr double most_bandwidth = 1e18;
inline constexpr double least_factor = 1e-6;  ///< factor of cycles for a data type or operator
inline constexpr double most_factor = 1e6;
inline constexpr double most_energy_pj = 1e15;  ///< of one access, one operation, one mode switch
inline constexpr double most_power_mw = 1e12;
inline constexpr std::int64_t blocks_tried = 1 << 16;  ///< block shapes of one mapping
inline constexpr std::int64_t block_extent = 1 << 16;
inline constexpr std::int64_t reduction = 64;  ///< parts of a sum
inline constexpr double weights = 1e12;        ///< sum of the objective weights
}  // namespace hardware_limits

/// Can a mapping name this kind of op? It can name the kinds of network.h, and conv, grouped,
/// depthwise, fc, matmul and pool separately.
[[nodiscard]] TESSERA_API bool is_mapped_op(std::string_view name);
/// All of them, as a list in a sentence.
[[nodiscard]] TESSERA_API std::string mapped_ops_text();

/// The part of a profile that a defect belongs to.
enum class HardwarePart : std::uint8_t { profile, engine, memory, restriction, rule };

/// An error of a profile.
struct HardwareDefect {
  HardwarePart part = HardwarePart::profile;
  std::size_t index = 0;  ///< index of the engine, memory, restriction or rule
  std::string field;      ///< "clock", "burst", ...: the key in the profile
  std::string message;    ///< a complete sentence
  std::string hint{};     ///< how to fix it; may be empty
};

/// Lists everything that makes the profile invalid.
/// ensure: if the list is empty,
///  - every number is finite and within the limits above;
///  - every enumeration has one of its values, and names are unique;
///  - at least one memory can hold buffers, and its memories pass validate();
///  - weights are not negative, and one is positive;
///  - no key is without effect, such as a memory that no engine reaches, an engine or map that no
///    op uses, or a burst of an on-chip memory.
///
/// A valid profile may lack a clock, an off-chip memory or engines: buffers can be placed on it,
/// but networks cannot be simulated.
[[nodiscard]] TESSERA_API std::vector<HardwareDefect> check_hardware(const Hardware& hardware);

}  // namespace tessera
