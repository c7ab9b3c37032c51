// The seeded generator of model/random.h, with helpers for tests.
//
//   Random random(seed);
//   if (random.chance(30)) size = random.between(1, 6);
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "model/random.h"

namespace tessera::testing {

class Random : public tessera::Random {
 public:
  using tessera::Random::Random;

  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }
};

}  // namespace tessera::testing
