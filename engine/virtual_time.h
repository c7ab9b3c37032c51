// Work of different engines on one scale: units of a WorkMeter times nanoseconds per unit.
//
//   meter.limit.store(work_units(share_ns, engine.ns_per_unit));
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera::engine {

/// Units that correspond to a virtual time, saturated. The maximum for an engine that does not
/// count its work (0 ns).
[[nodiscard]] inline std::int64_t work_units(double virtual_ns, double ns_per_unit) {
  if (virtual_ns < 0) return 0;
  if (ns_per_unit <= 0) return std::numeric_limits<std::int64_t>::max();
  const double units = std::floor(virtual_ns / ns_per_unit) + 1;
  return units < 9.0e18 ? static_cast<std::int64_t>(units)
                        : std::numeric_limits<std::int64_t>::max();
}

}  // namespace tessera::engine
