// Seeded randomness that is the same everywhere (the distributions of <random> are not).
//
//   Random random(mix(seed, round));
//   if (random.below(10) == 0) swap(order[random.below(n)], order[random.below(n)]);
#pragma once

#include <cstdint>

namespace tessera::boxing {

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound).  require: bound >= 1.
  std::uint64_t below(std::uint64_t bound) {
    // The bias of the plain remainder is at most bound / 2^64.
    return next() % bound;
  }
  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// A seed for stream `stream` of seed `seed`: different streams are independent.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t seed, std::uint64_t stream) {
  Random random(seed ^ (stream * 0xd1342543de82ef95U));
  random.next();
  return random.next();
}

}  // namespace tessera::boxing
