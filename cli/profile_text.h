// Text and JSON of a hardware profile.
#pragma once

#include <string>

#include "tessera/hardware.h"

namespace tessera::cli {

/// One line: memories with their sizes.
[[nodiscard]] std::string profile_summary(const Hardware& hardware);

/// Every effective value with its source.
[[nodiscard]] std::string profile_text(const Hardware& hardware);

[[nodiscard]] std::string profile_json(const Hardware& hardware);

}  // namespace tessera::cli
