// The cheapest model of a formula with soft literals, with a bound proved on the way.
//
//   Optimum best = optimise(*solver, soft, budget, [&] { placement = decode(...); });
//   bool optimal = best.bound == best.cost;
//
// Core-guided search: assume that nothing is paid; every refutation names a set of literals of
// which at least one is paid, and is replaced by a counter over them (Morgado, Dodaro,
// Marques-Silva: Core-guided MaxSAT with soft cardinality constraints, 2014). Heavier literals
// first, so that models appear early.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "backend.h"
#include "encoding.h"

namespace tessera::encoder {

struct Optimum {
  /// no: the hard clauses have no model. unknown: the budget ended before there was one.
  Answer answer = Answer::unknown;
  Cost cost = 0;   ///< of the best model, if there is one
  Cost bound = 0;  ///< no model is cheaper
  bool complete = false;
  std::int64_t cores = 0;
  std::int64_t calls = 0;
};

/// `found` is called for every model that is better than those before, while the solver holds it.
/// `known`: what a model costs that somebody has; only cheaper ones are of use, and where there is
/// none `cost` stays as it is.
[[nodiscard]] Optimum optimise(Backend& solver, const std::vector<Soft>& soft, const Budget& budget,
                               const std::function<void()>& found,
                               std::optional<Cost> known = std::nullopt);

}  // namespace tessera::encoder
