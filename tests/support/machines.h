// Small machines for tests of costs.
#pragma once

#include "tessera/hardware.h"

namespace tessera::testing {

/// A MAC array of 16 x 16 channels, 8 vector lanes, a memory of `capacity` bytes on the chip and
/// four bytes per cycle from the other one; nothing starts up, nothing has an energy.
[[nodiscard]] Hardware toy_machine(Size capacity);

}  // namespace tessera::testing
