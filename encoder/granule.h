// How coarse the addresses may be: which offsets a solver has to consider.
//
//   Grid grid = grid_of(formula, numbers);
//   // integer x takes the values 0, stride, 2 * stride, ..., last
//
// Take any model and push it down: keep which literals are true, and give every integer the least
// value that keeps the true lower bounds, orders and multiples. Upper bounds stay kept. The least
// values are sums of amounts, each rounded up to a stride, so they are multiples of any unit that
// divides every amount and agrees with every stride (divides it or is divided by it, so that
// rounding up leaves multiples alone). It is why a formula negates neither `before` nor `multiple`.
#pragma once

#include <vector>

#include "formula.h"

namespace tessera::encoder {

struct Domain {
  Size stride = 1;
  Size last = -1;  ///< the largest value, a multiple of stride; negative: no value at all
  [[nodiscard]] Size steps() const { return last / stride; }
  /// The number of the first value that is at least `value` (possibly steps() + 1: none is).
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

/// The amount of a `before` atom rounded up as far as the strides of both sides allow.
[[nodiscard]] Size rounded_amount(const Numbers& numbers, const Grid& grid, const Atom& before);

}  // namespace tessera::encoder
