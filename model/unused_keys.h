// Finds profile keys that have no effect.
//
//   find_unused_keys(hardware, defects);      // adds a message for each
//
// A key without effect suggests that the machine is described when it is not. It is rejected like a
// number out of range.
#pragma once

#include <vector>

#include "tessera/hardware_check.h"

namespace tessera {

/// require: the hardware has no other defect.
void find_unused_keys(const Hardware& hardware, std::vector<HardwareDefect>& defects);

}  // namespace tessera
