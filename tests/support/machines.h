// Small machines for tests of costs.
#pragma once

#include "tessera/hardware.h"

namespace tessera::testing {

/// A MAC array of 16 x 16 channels, 8 vector lanes, `capacity` bytes of on-chip memory, and four
/// bytes per cycle from off-chip memory; no start-up times, no energies.
[[nodiscard]] Hardware toy_machine(Size capacity);

}  // namespace tessera::testing
