// Which of many things go in, so that they are worth most? A program of zeros and ones whose rows
// are sums that may not pass their room.
//
//   PackingProblem packing{.worth = {60, 50, 40}, .rows = {{.terms = {{0, 5}, {1, 4}, {2, 3}},
//                                                           .room = 7}}};
//   PackingAnswer best = best_packing(packing, 0, {});       // 1 and 2, worth 90
//   if (best.bound == best.worth) proved();
//
// Branch and bound. The bound is the Lagrangian one: every row has a price, what is worth more than
// the prices of what it takes goes in, and any prices give a bound; those that give the least are
// approached by subgradient steps (Held, Wolfe, Crowder 1974; Fisher, Management Science 1981). It
// is that of the linear relaxation, without a linear program. What the bound says cannot change any
// more is fixed (reduced costs), and the prices say in which order a greedy packing takes the rest.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/budget.h"
#include "tessera/units.h"

namespace tessera::search {

struct PackingRow {
  /// Thing and how much of the room it takes; each thing once, amounts at least 1.
  std::vector<std::pair<std::uint32_t, std::int64_t>> terms;
  std::int64_t room = 0;  ///< at least 0
};

struct PackingProblem {
  std::vector<Benefit> worth;  ///< at least 0; their sum is bounded as benefits are (validate.h)
  std::vector<PackingRow> rows;
};

struct PackingAnswer {
  std::vector<char> in;  ///< of the best packing; empty: none is known that is worth more
  Benefit worth = 0;     ///< of `in`; of nothing: what had to be beaten
  Benefit bound = 0;     ///< proved: no packing is worth more (never below `worth`)
  StopReason stop = StopReason::completed;  ///< completed: bound == worth
  std::int64_t nodes = 0;
};

inline constexpr std::uint32_t no_twin = ~std::uint32_t{0};
/// Things that are worth the same and take the same of every row may change places: it is enough to
/// look at packings where of such twins the first ones are in. By thing: the next one like it.
[[nodiscard]] std::vector<std::uint32_t> next_twins(const PackingProblem& problem);

/// The best packing that is worth more than `above`.
[[nodiscard]] PackingAnswer best_packing(const PackingProblem& problem, Benefit above,
                                         const Budget& budget);

}  // namespace tessera::search
