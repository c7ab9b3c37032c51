// The engines of a profile (docs/reference/profiles.md).
//
//   Engine engine = read_engine(sources, node);      // the node below its name
#pragma once

#include "io/tree.h"
#include "tessera/hardware.h"

namespace tessera::io {

/// Throws InputError with file, line and key. check_hardware() checks the ranges of values later.
[[nodiscard]] Engine read_engine(const Sources& sources, const Node& node);

}  // namespace tessera::io
