// What is wrong with a profile before anybody plans for it.
//
//   for (const HardwareDefect& defect : check_hardware(hardware)) std::cerr << defect.message;
//
// The reader of profiles calls this too, so that a Hardware made by hand and one read from a file
// are held to the same rules.
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

/// No machine reaches these, and what is computed from values inside them stays far from the ends
/// of a double. Sums of cycles and bytes are checked where they are made (cost/).
namespace hardware_limits {
inline constexpr std::int64_t parallel = std::int64_t{1}
                                         << 24;  ///< unroll, lanes, bursts in flight
inline constexpr double most_cells = 1e12;       ///< of one array
inline constexpr std::int64_t channels = 1024;
inline constexpr std::int64_t cycles = std::int64_t{1} << 40;  ///< latency, set-up, fill, a switch
inline constexpr Size burst = Size{1} << 30;
inline constexpr std::int64_t brick = 1 << 20;  ///< channels
inline constexpr double least_clock_hz = 1;
inline constexpr double most_clock_hz = 1e15;
inline constexpr double least_bandwidth = 1e-6;  ///< bytes per second or per cycle
inline constexpr double most_bandwidth = 1e18;
inline constexpr double least_factor = 1e-6;  ///< of cycles: a data type's, an operator's
inline constexpr double most_factor = 1e6;
inline constexpr double most_energy_pj = 1e15;  ///< of one access, one operation, one switch
inline constexpr double most_power_mw = 1e12;
inline constexpr std::int64_t blocks_tried = 1 << 16;  ///< shapes of a block, of one mapping
inline constexpr std::int64_t block_extent = 1 << 16;
inline constexpr std::int64_t reduction = 64;  ///< parts of a sum
inline constexpr double weights = 1e12;        ///< of the objective, all together
}  // namespace hardware_limits

/// Kinds of op that a mapping can name: those of network.h, and conv, grouped, depthwise, fc,
/// matmul and pool told apart.
[[nodiscard]] TESSERA_API bool is_mapped_op(std::string_view name);
/// All of them, for a sentence.
[[nodiscard]] TESSERA_API std::string mapped_ops_text();

enum class HardwarePart : std::uint8_t { profile, engine, memory, restriction };

struct HardwareDefect {
  HardwarePart part = HardwarePart::profile;
  std::size_t index = 0;  ///< of the engine, memory or restriction
  std::string field;      ///< "clock", "burst", ...: the key a reader would look for
  std::string message;    ///< a whole sentence
  std::string hint{};     ///< what would fix it; may be empty
};

/// Everything that makes the profile ill-formed; empty means it is well-formed. In particular
/// ensures when empty: every number is finite and within the limits above, every enumeration has
/// one of its values, names are unique, at least one memory is placed into, its memories pass
/// validate(), weights are not negative and one is positive, and nothing that is said would change
/// no answer: a memory that no engine reaches, an engine or a map that no op is given to, a burst
/// on the chip. A profile may lack a clock, an off-chip memory or engines: then it can be placed
/// into, but not simulated.
[[nodiscard]] TESSERA_API std::vector<HardwareDefect> check_hardware(const Hardware& hardware);

}  // namespace tessera
