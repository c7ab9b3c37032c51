// Why is no packing worth more? A tree over what is in and what is out, whose leaves are sums of
// rows with whole multipliers: somebody who trusts nothing here can add them up again.
//
//   const auto tree = prove_packing(packing, 90, budget);
//   if (tree) write(*tree);                     // docs/proofs.md, "choice"
//
// The multipliers are the prices of the Lagrangian bound (packing.h), rounded to a common
// denominator. Rounded prices are prices as well: a branch is closed where whole numbers say so,
// and is split where they do not.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "search/choice/packing.h"

namespace tessera::search {

struct PackingStep {
  enum class Kind : std::uint8_t {
    prices,  ///< from here on, until the next ones
    in,      ///< a branch whose first side has `number`, a thing, in; the second one out
    out,     ///< the other way round
    leaf,    ///< the prices leave no more
    over,    ///< what is in passes the room of row `number`
    twin,    ///< `number` is out, since `like`, which is just like it and comes before it, is
  };
  Kind kind = Kind::leaf;
  std::uint32_t number = 0;
  std::uint32_t like = 0;
  std::int64_t denominator = 1;
  std::vector<std::pair<std::uint32_t, std::int64_t>> multipliers{};  ///< of rows, ascending
};

/// Each row is divided by the greatest common divisor of its amounts first, its room rounded down.
/// A row may have no terms and a room below 0: then nothing is packed at all.
/// ensure: nothing where a packing is worth more than `most`, or the budget ended first.
[[nodiscard]] std::optional<std::vector<PackingStep>> prove_packing(const PackingProblem& problem,
                                                                    Benefit most,
                                                                    const Budget& budget);

}  // namespace tessera::search
