// `silicon:` of a profile: area and leakage of the parts of a machine.
//
//   for (const SiliconPart& part : read_silicon(root, hardware, sources)) area += part.area_mm2;
//
// Figures are per KiB, per bank, per connection of a bank to a port, per multiplier and per lane,
// so that they scale with changes of the machine. Area does not affect plans; it serves the
// comparison of machines. Leakage is permanent power and counts in energy.
#pragma once

#include <vector>

#include "io/tree.h"
#include "tessera/hardware.h"
#include "tessera/silicon.h"

namespace tessera::io {

/// Empty if the profile has no `silicon`. Throws InputError.
[[nodiscard]] std::vector<SiliconPart> read_silicon(const Node& root, const Hardware& hardware,
                                                    const Sources& sources);

}  // namespace tessera::io
