// How much a test may ask for: sanitizers make everything many times slower.
//
//   for (std::uint64_t seed = 1; seed <= effort(3000); ++seed)
#pragma once

#include <algorithm>
#include <cstddef>

namespace tessera::testing {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// The number of repetitions; a tenth of it, but at least 20, under a sanitizer.
[[nodiscard]] constexpr std::size_t effort(std::size_t count) {
  return sanitized ? std::max<std::size_t>(std::min<std::size_t>(count, 20), count / 10) : count;
}

}  // namespace tessera::testing
