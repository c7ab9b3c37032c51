// Text and JSON of a hardware profile.
#pragma once

#include <string>

#include "tessera/hardware.h"
#include "tessera/profile.h"

namespace tessera::cli {

/// One line: memories with their sizes.
[[nodiscard]] std::string profile_summary(const Hardware& hardware);

/// Every effective value with its source; of `tiling` and `silicon` the keys that the profile has.
[[nodiscard]] std::string profile_text(const Profile& profile);

[[nodiscard]] std::string profile_json(const Profile& profile);

}  // namespace tessera::cli
