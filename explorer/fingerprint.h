// Fingerprint of a text: SHA-256 (FIPS 180-4).
//
//   store.find(fingerprint(version + network + machine));
//
// Private to explorer/.
#pragma once

#include <string>
#include <string_view>

namespace tessera::explorer {

/// 64 hexadecimal digits.
[[nodiscard]] std::string fingerprint(std::string_view text);

}  // namespace tessera::explorer
