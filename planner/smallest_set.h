// The smallest sufficient set of elements, if sufficiency is only known by an oracle.
//
//   const SmallestSet found = smallest_set({.things = 9, .one_of = {{0, 1, 2}}, .known = {0, 4, 5},
//                                           .enough = ask, .budget = budget});
//   // found.set is enough; found.proved: nothing with fewer things is
//
// Sufficiency is monotone. A set that is not sufficient proves that one of the other elements is
// necessary, which is strongest for a maximal set. The queries are therefore minimum hitting sets
// of these lists (implicit hitting sets; Chandrasekaran, Karp, Moreno-Centeno and Vempala, SODA
// 2011). The first sufficient one is the answer. Private to planner/.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/budget.h"

namespace tessera::planner {

enum class Enough : std::uint8_t { yes, no, open };

struct SmallestSetParams {
  std::size_t things = 0;
  std::vector<std::vector<std::size_t>> one_of;  ///< every sufficient set has one of each
  std::vector<std::size_t> known;                ///< ascending; a sufficient set
  /// `in[k]`: the set has element k. Monotone.
  std::function<Enough(const std::vector<bool>& in)> enough;
  Budget budget;
};

struct SmallestSet {
  std::vector<std::size_t> set;  ///< ascending
  std::size_t bound = 0;         ///< no smaller set is sufficient
  [[nodiscard]] bool proved() const { return bound == set.size(); }
};

/// require: `known` is sufficient.
/// ensure: the set is sufficient and no larger than `known`.
[[nodiscard]] SmallestSet smallest_set(const SmallestSetParams& params);

}  // namespace tessera::planner
