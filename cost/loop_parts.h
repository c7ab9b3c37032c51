// Loop counts as named fields, and a loop split into parts of one size.
//
//   const Counts unroll(mapping.unroll);            // unroll.K
//   for (const auto& [extent, count] : Parts(56, 16)) ...   // {16, 3}, {8, 1}
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tessera/hardware.h"
#include "tiling/ceil_div.h"

namespace tessera::cost {

inline std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return tiling::ceil_div(a, b) * b;
}

/// LoopCounts with a field per loop; `otherwise` for loops without a count.
struct Counts {
  std::int64_t N, G, K, C, H, W, R, S, T;
  explicit Counts(const LoopCounts& counts, std::int64_t otherwise = 1)
      : N(otherwise),
        G(otherwise),
        K(otherwise),
        C(otherwise),
        H(otherwise),
        W(otherwise),
        R(otherwise),
        S(otherwise),
        T(otherwise) {
    for (const auto& [loop, n] : counts) {
      if (loop == "N") N = n;
      if (loop == "G") G = n;
      if (loop == "K") K = n;
      if (loop == "C") C = n;
      if (loop == "H") H = n;
      if (loop == "W") W = n;
      if (loop == "R") R = n;
      if (loop == "S") S = n;
      if (loop == "T") T = n;
    }
  }
  [[nodiscard]] double product() const {
    double all = 1;
    for (const std::int64_t n : {N, G, K, C, H, W, R, S, T}) all *= static_cast<double>(n);
    return all;
  }
};

/// A loop in parts of `by`: the full ones and a shorter last one.
struct Parts {
  struct Part {
    std::int64_t extent;
    double count;
  };
  std::array<Part, 2> list{};
  std::size_t count = 0;
  Parts(std::int64_t loop, std::int64_t by) {
    if (loop / by > 0) list[count++] = {by, static_cast<double>(loop / by)};
    if (loop % by > 0) list[count++] = {loop % by, 1};
  }
  /// `whole`: the last part is padded to the full size.
  Parts(std::int64_t loop, std::int64_t by, bool whole) : Parts(loop, by) {
    if (whole) *this = Parts(round_up(loop, by), by);
  }
  [[nodiscard]] const Part* begin() const { return list.data(); }
  [[nodiscard]] const Part* end() const { return list.data() + count; }
};

}  // namespace tessera::cost
