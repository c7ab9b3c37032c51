// The problems of a random test, one after the other until one fails.
//
//   for_each_seed(2000, [&](std::uint64_t seed) { ... });
//
// TESSERA_RANDOM_SEED sets the first seed, TESSERA_RANDOM_COUNT the number instead of
// effort(count).
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "tests/support/effort.h"

namespace tessera::testing {

[[nodiscard]] inline std::uint64_t seeds_tried(std::size_t count) {
  return setting("TESSERA_RANDOM_COUNT", effort(count));
}

template <typename Test>
void for_each_seed(std::size_t count, Test&& test) {
  const std::uint64_t first = setting("TESSERA_RANDOM_SEED", 1);
  const std::uint64_t end = first + seeds_tried(count);
  for (std::uint64_t seed = first; seed < end && !::testing::Test::HasFailure(); ++seed) test(seed);
}

}  // namespace tessera::testing
