// Amount of work of a test: sanitizers, and builds without optimisation, are many times slower.
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

#if defined(NDEBUG)
inline constexpr bool optimised = true;
#else
inline constexpr bool optimised = false;
#endif

/// An optimised build: others use smaller networks, and fewer.
inline constexpr bool quick = optimised && !sanitized;

/// A number from the environment, for repeating one case of a random test.
[[nodiscard]] inline std::uint64_t setting(const char* name, std::uint64_t standard) {
  const char* text = std::getenv(name);
  return text == nullptr ? standard : std::strtoull(text, nullptr, 10);
}

/// The number of repetitions; a tenth of it under a sanitizer, a fifth without optimisation, but at
/// least `least` (fewer than 20 where each is a plan or several).
/// TESSERA_EFFORT multiplies it, for tests that run for hours.
[[nodiscard]] inline std::size_t effort(std::size_t count, std::size_t least = 20) {
  const std::size_t part = sanitized ? 10 : optimised ? 1 : 5;
  const std::size_t times = setting("TESSERA_EFFORT", 1);
  return times * std::max<std::size_t>(std::min<std::size_t>(count, least), count / part);
}

/// The factor of a bound on seconds: builds that are not made to be fast take longer.
inline constexpr double slowness = (sanitized ? 20 : 1) * (optimised ? 1 : sanitized ? 2 : 10);

}  // namespace tessera::testing
