// A multidimensional 0/1 knapsack: choose items of largest total worth subject to capacity rows.
//
//   PackingProblem packing{.worth = {60, 50, 40}, .rows = {{.terms = {{0, 5}, {1, 4}, {2, 3}},
//                                                           .capacity = 7}}};
//   PackingResult best = best_packing(packing, 0, {});       // 1 and 2, worth 90
//   if (best.bound == best.worth) proved();
//
// Branch and bound with the Lagrangian bound: every row has a price, and an item is in if its worth
// exceeds the prices of its amounts. Any prices give a bound; subgradient steps approach the best
// ones (Held, Wolfe, Crowder 1974; Fisher, Management Science 1981). The bound equals that of the
// linear relaxation, without a linear program. Reduced costs fix items, and a greedy packing takes
// the others in the order of their reduced worth.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/budget.h"
#include "tessera/units.h"

namespace tessera::search {

struct PackingRow {
  /// Item and amount; each item at most once, amounts at least 1.
  std::vector<std::pair<std::uint32_t, std::int64_t>> terms;
  std::int64_t capacity = 0;  ///< at least 0
};

struct PackingProblem {
  std::vector<Benefit> worth;  ///< at least 0; the sum is bounded as benefits are (validate.h)
  std::vector<PackingRow> rows;
};

struct PackingResult {
  std::vector<char> in;  ///< the best packing; empty: none with a larger worth is known
  Benefit worth = 0;     ///< of `in`; without `in` the value to beat
  Benefit bound = 0;     ///< proved: no packing is worth more (never below `worth`)
  StopReason stop = StopReason::completed;  ///< completed: bound == worth
  std::int64_t nodes = 0;
};

inline constexpr std::uint32_t no_next = ~std::uint32_t{0};
/// Items of equal worth with equal amounts in every row are interchangeable: it suffices to search
/// packings that take the first ones. Per item, the next one that is interchangeable with it.
[[nodiscard]] std::vector<std::uint32_t> next_interchangeable(const PackingProblem& problem);

/// The best packing worth more than `above`.
[[nodiscard]] PackingResult best_packing(const PackingProblem& problem, Benefit above,
                                         const Budget& budget);

}  // namespace tessera::search
