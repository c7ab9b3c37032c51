// An address in hexadecimal.
//
//   hex_text(0x20000000) == "0x20000000"
#pragma once

#include <array>
#include <charconv>
#include <string>

#include "tessera/units.h"

namespace tessera {

/// require: address >= 0.
[[nodiscard]] inline std::string hex_text(Offset address) {
  std::array<char, 17> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), address, 16);
  return std::string("0x").append(digits.data(), written.ptr);
}

}  // namespace tessera
