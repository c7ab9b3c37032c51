// A hardware profile in words.
#pragma once

#include <string>

#include "tessera/hardware.h"

namespace tessera::cli {

/// One line: memories with their sizes.
[[nodiscard]] std::string profile_summary(const Hardware& hardware);

/// Every effective value, and behind it where it comes from.
[[nodiscard]] std::string profile_text(const Hardware& hardware);

/// The same for programs.
[[nodiscard]] std::string profile_json(const Hardware& hardware);

}  // namespace tessera::cli
