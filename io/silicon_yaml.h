// `silicon:` of a profile: what the parts of the machine cost in area and leakage.
//
//   for (const SiliconPart& part : read_silicon(root, hardware, sources)) area += part.area_mm2;
//
// Figures are per KiB, per bank, per connection of a bank to a port, per multiplier and per lane,
// so that a machine of which these change costs what it has become. Area decides nothing in a plan:
// it is for whoever compares machines. Leakage is power that is always on, and counts as such.
#pragma once

#include <vector>

#include "io/tree.h"
#include "tessera/hardware.h"
#include "tessera/silicon.h"

namespace tessera::io {

/// Empty where the profile has no `silicon`. Throws InputError.
[[nodiscard]] std::vector<SiliconPart> read_silicon(const Node& root, const Hardware& hardware,
                                                    const Sources& sources);

}  // namespace tessera::io
