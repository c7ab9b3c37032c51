// Random numbers that are the same on every machine: splitmix64, and no std distribution (whose
// results the standard leaves open).
#pragma once

#include <cstdint>

namespace tessera {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Within [low, high].  require: low <= high.
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

}  // namespace tessera
