// The smallest set of things that is enough, where whether one is can only be asked.
//
//   const SmallestSet found = smallest_set({.things = 9, .one_of = {{0, 1, 2}}, .known = {0, 4, 5},
//                                           .enough = ask, .budget = budget});
//   // found.set is enough; found.proved: nothing with fewer things is
//
// What is enough stays so with more things. A set that is not enough says that one of the others is
// needed, and says the most when it is as large as can be. So the sets asked about are smallest
// ones that have something of each such list (implicit hitting sets; Chandrasekaran, Karp,
// Moreno-Centeno and Vempala, SODA 2011): the first that is enough is the answer. Private to
// planner/.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/budget.h"

namespace tessera::planner {

enum class Enough : std::uint8_t { yes, no, open };

struct SmallestSetParams {
  std::size_t things = 0;
  std::vector<std::vector<std::size_t>> one_of;  ///< whatever is enough has one of each of these
  std::vector<std::size_t> known;                ///< ascending; this is enough
  /// `in[k]`: is thing k in the set? Once it is not enough, neither is anything within.
  std::function<Enough(const std::vector<bool>& in)> enough;
  Budget budget;
};

struct SmallestSet {
  std::vector<std::size_t> set;  ///< ascending
  std::size_t bound = 0;         ///< no smaller set than this is enough
  [[nodiscard]] bool proved() const { return bound == set.size(); }
};

/// require: `known` is enough.
/// ensure: the set is enough, and no larger than `known`.
[[nodiscard]] SmallestSet smallest_set(const SmallestSetParams& params);

}  // namespace tessera::planner
