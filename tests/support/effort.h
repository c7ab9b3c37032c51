// How much a test may ask for: sanitizers make everything many times slower.
//
//   for (std::uint64_t seed = 1; seed <= effort(3000); ++seed)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace tessera::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// The number of repetitions; a tenth of it, but at least 20, under a sanitizer.
[[nodiscard]] constexpr std::size_t effort(std::size_t count) {
  return sanitized ? std::max<std::size_t>(std::min<std::size_t>(count, 20), count / 10) : count;
}

/// What a bound on seconds is multiplied with: builds that are not made to be fast take longer.
#if defined(NDEBUG)
inline constexpr double slowness = sanitized ? 20 : 1;
#else
inline constexpr double slowness = sanitized ? 40 : 10;
#endif

/// A number from the environment, for repeating one case of a random test.
[[nodiscard]] inline std::uint64_t setting(const char* name, std::uint64_t standard) {
  const char* text = std::getenv(name);
  return text == nullptr ? standard : std::strtoull(text, nullptr, 10);
}

}  // namespace tessera::testing
