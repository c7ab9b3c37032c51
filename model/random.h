// Random numbers that are equal on every machine and with every standard library, which the
// distributions of <random> are not.
//
//   Random random(mix(seed, round));
//   if (random.chance(10)) swap(order[random.below(n)], order[random.below(n)]);
#pragma once

#include <cstdint>

namespace tessera {

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

  /// In [0, bound). The bias of the plain remainder is at most bound / 2^64.
  /// require: bound >= 1.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Uniform in [low, high].  require: low <= high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    if (span == 0) return static_cast<std::int64_t>(next());
    // Rejection keeps every value equally likely.
    const std::uint64_t fair = span * (UINT64_MAX / span);
    std::uint64_t draw = next();
    while (draw >= fair) draw = next();
    return low + static_cast<std::int64_t>(draw % span);
  }

  /// True with a probability of percent / 100.
  bool chance(int percent) { return between(0, 99) < percent; }

 private:
  std::uint64_t state_;
};

/// A seed for stream `stream` of seed `seed`: different streams are independent.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t seed, std::uint64_t stream) {
  Random random(seed ^ (stream * 0xd1342543de82ef95U));
  random.next();
  return random.next();
}

}  // namespace tessera
