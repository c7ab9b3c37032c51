// The Luby sequence of restart lengths: 1 1 2 1 1 2 4 1 1 2 ... times a unit.
//
//   turn_left = turn_unit * luby(restarts++);
//
// Within a constant factor of the optimal restart strategy if run times are unknown (Luby, Sinclair
// and Zuckerman, "Optimal speedup of Las Vegas algorithms", 1993).
#pragma once

#include <cstdint>

namespace tessera::search::learning {

/// require: at >= 0.
[[nodiscard]] constexpr std::int64_t luby(std::int64_t at) {
  std::int64_t size = 1;
  std::int64_t power = 1;
  while (size < at + 1) {
    size = 2 * size + 1;
    power *= 2;
  }
  while (size - 1 != at) {
    size = (size - 1) / 2;
    power /= 2;
    at %= size;
  }
  return power;
}

static_assert(luby(0) == 1 && luby(1) == 1 && luby(2) == 2 && luby(6) == 4 && luby(14) == 8 &&
              luby(15) == 1);

}  // namespace tessera::search::learning
