// Counting literals in unary (Bailleux, Boufkhad: Efficient CNF encoding of Boolean cardinality
// constraints, 2003), and sums of weights in the same way.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "backend.h"

namespace tessera::encoder {

/// Literals s[0], s[1], ...: if k + 1 of `inputs` are true then s[k] is.
[[nodiscard]] std::vector<int> count(Backend& solver, std::span<const int> inputs);

/// Clauses that forbid a sum of weights above `most`, given to `clause`; fresh variables come from
/// `fresh`. require: weights are positive, 0 <= most.
void limit_sum(std::span<const std::pair<int, Cost>> weighted, Cost most,
               const std::function<int()>& fresh, const ClauseSink& clause);

}  // namespace tessera::encoder
