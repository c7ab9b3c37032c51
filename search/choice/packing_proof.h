// Proof that no packing is worth more: a tree of branches whose leaves are sums of rows with
// integer multipliers, which a checker can recompute.
//
//   const auto tree = prove_packing(packing, 90, budget);
//   if (tree) write(*tree);                     // docs/reference/proofs.md, "choice"
//
// The multipliers are the prices of the Lagrangian bound (packing.h), rounded to a common
// denominator. Rounded prices are valid prices: a branch is closed if the integer bound suffices,
// and split otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "search/choice/packing.h"

namespace tessera::search {

struct PackingStep {
  enum class Kind : std::uint8_t {
    prices,  ///< multipliers from here until the next ones
    in,      ///< a branch on item `number`: in on the first side, out on the second
    out,     ///< a branch on item `number`: out on the first side, in on the second
    leaf,    ///< the bound of the prices closes the branch
    over,    ///< the items that are in exceed the capacity of row `number`
    twin,    ///< `number` is out because the earlier interchangeable item `like` is out
  };
  Kind kind = Kind::leaf;
  std::uint32_t number = 0;
  std::uint32_t like = 0;
  std::int64_t denominator = 1;
  std::vector<std::pair<std::uint32_t, std::int64_t>> multipliers{};  ///< of rows, ascending
};

/// Each row is first divided by the greatest common divisor of its amounts, with its capacity
/// rounded down. A row without terms and with a negative capacity excludes every packing.
/// ensure: nothing if a packing is worth more than `most`, or if the budget ended first.
[[nodiscard]] std::optional<std::vector<PackingStep>> prove_packing(const PackingProblem& problem,
                                                                    Benefit most,
                                                                    const Budget& budget);

}  // namespace tessera::search
