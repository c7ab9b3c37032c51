// The quotient of two whole numbers, rounded up.
#pragma once

#include <cstdint>

namespace tessera::tiling {

/// require: a >= 0, b > 0, and their sum does not overflow.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace tessera::tiling
