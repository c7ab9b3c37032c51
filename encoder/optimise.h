// Minimum-cost model of a formula with soft literals, with a proved lower bound.
//
//   Optimum best = optimise(*solver, soft, budget, [&] { placement = decode(...); });
//   bool optimal = best.bound == best.cost;
//
// Core-guided search: assume that no literal pays. Every refutation names a set of literals of
// which at least one pays; a counter over them replaces the assumptions (Morgado, Dodaro,
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
  /// no: the hard clauses have no model. unknown: the budget ended before a model was found.
  Answer answer = Answer::unknown;
  Cost cost = 0;   ///< of the best model, if there is one
  Cost bound = 0;  ///< no model is cheaper
  bool complete = false;
  std::int64_t cores = 0;
  std::int64_t calls = 0;
};

/// `found` is called for each improving model, while the solver holds it. `known`: the cost of a
/// known model; only cheaper models are reported, and without any `cost` keeps this value.
[[nodiscard]] Optimum optimise(Backend& solver, const std::vector<Soft>& soft, const Budget& budget,
                               const std::function<void()>& found,
                               std::optional<Cost> known = std::nullopt);

}  // namespace tessera::encoder
