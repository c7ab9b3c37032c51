// Minimum-cost model of a formula with soft costs, by implicit hitting sets.
//
//   Optimum best = optimise_by_hitting(*solver, encoding, rules, known, budget, found);
//
// Each rule states how many of a set of pairs pay at least. The cheapest set of pairs that
// satisfies all rules is a lower bound. The solver then searches a model in which no other pair
// pays. It returns a model, or a core: pairs of which one more pays, which is a new rule. A model
// of the cheapest set is optimal (Davies, Bacchus: Solving MAXSAT by solving a sequence of simpler
// SAT instances, 2011). As long as cores are found easily, any set is used, and pairs of a core are
// allowed to pay until no core is left (disjoint cores).
#pragma once

#include <functional>
#include <span>

#include "backend.h"
#include "encoding.h"
#include "engine/hitting_set.h"
#include "optimise.h"

namespace tessera::encoder {

/// Like optimise(), given that a model of cost `known` exists. require: the costs of `encoding` are
/// those of Objective::cost.
[[nodiscard]] Optimum optimise_by_hitting(Backend& solver, const Encoding& encoding,
                                          std::span<const engine::PairRule> rules, Cost known,
                                          const Budget& budget, const std::function<void()>& found);

}  // namespace tessera::encoder
