// Granularity of addresses: the offsets a solver has to consider.
//
//   Grid grid = grid_of(formula, numbers);
//   // integer x takes the values 0, stride, 2 * stride, ..., last
//
// Proof: push any model down, that is, keep the true literals and give every integer the least
// value that satisfies the true lower bounds, orders and multiples. Upper bounds remain satisfied.
// The least values are sums of amounts, each rounded up to a stride. They are multiples of any unit
// that divides every amount, and divides or is divided by every stride (so that rounding up
// preserves multiples). This requires that a formula negates neither `before` nor `multiple`.
#pragma once

#include <vector>

#include "formula.h"

namespace tessera::encoder {

struct Domain {
  Size stride = 1;
  Size last = -1;  ///< the largest value, a multiple of stride; negative: empty domain
  [[nodiscard]] Size steps() const { return last / stride; }
  /// The index of the first value that is at least `value`; steps() + 1 if there is none.
  [[nodiscard]] Size index_of(Size value) const {
    if (value <= 0) return 0;
    return value > last ? steps() + 1 : (value + stride - 1) / stride;
  }
};

struct Grid {
  std::vector<Domain> domains;  ///< per integer
  Size unit = 1;                ///< divides every stride
  bool empty = false;           ///< some integer has no value
};

[[nodiscard]] Grid grid_of(const Formula& formula, const Numbers& numbers);

/// The least multiple of `stride` that is at least `value`, which may be negative.
[[nodiscard]] Size rounded_up(Size value, Size stride);

/// The amount of a `before` atom, rounded up to the common divisor of both strides.
[[nodiscard]] Size rounded_amount(const Numbers& numbers, const Grid& grid, const Atom& before);

}  // namespace tessera::encoder
