// Checked conversion of cycle and byte counts from doubles, and checked sums.
//
//   cost.cycles = rounded_up(work * factor, "cycles");
//
// An overflowing cast silently gives a wrong figure. No real machine needs counts above 2^60, so a
// larger value is an error of the profile or of the network.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace tessera::cost {

/// More cycles than this are 36 years at 1 GHz.
inline constexpr double most_whole_number = 1152921504606846976.0;  // 2^60

/// Throws std::invalid_argument above 2^60 and for NaN.  require: value >= 0.
[[nodiscard]] inline std::int64_t whole_number(double value, const char* what) {
  if (!(value <= most_whole_number))
    throw std::invalid_argument("a part of the network takes more than 2^60 " + std::string(what) +
                                " on this profile; check its bandwidth, clock and factors");
  return static_cast<std::int64_t>(value);
}

/// Rounds up to the next whole number. A value that exceeds a whole number only by a rounding error
/// gives that number.
[[nodiscard]] inline std::int64_t rounded_up(double value, const char* what) {
  constexpr double exact = 1 - 1e-12;
  return whole_number(std::ceil(value * exact), what);
}

/// a + b, with the same limit.  require: both are not negative.
[[nodiscard]] inline std::int64_t whole_sum(std::int64_t a, std::int64_t b, const char* what) {
  const std::int64_t most = static_cast<std::int64_t>(most_whole_number);
  return a <= most - b ? a + b : whole_number(2 * most_whole_number, what);
}

}  // namespace tessera::cost
