// What a profile says and nothing would ever ask for.
//
//   find_idle(hardware, defects);      // adds a sentence for each
//
// A key that changes no answer is worse than one that is missing: whoever wrote it believes that
// the machine is described. So it is refused like a number out of range.
#pragma once

#include <vector>

#include "tessera/hardware_check.h"

namespace tessera {

/// require: nothing else is wrong with the hardware.
void find_idle(const Hardware& hardware, std::vector<HardwareDefect>& defects);

}  // namespace tessera
