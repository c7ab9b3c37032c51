// The engines of a profile (docs/formats.md).
//
//   Engine engine = read_engine(sources, node);      // the node below its name
#pragma once

#include "io/tree.h"
#include "tessera/hardware.h"

namespace tessera::io {

/// Throws InputError that names file, line and key. Values are held against their limits later, by
/// check_hardware().
[[nodiscard]] Engine read_engine(const Sources& sources, const Node& node);

}  // namespace tessera::io
