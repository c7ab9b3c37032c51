// The cheapest model of a formula with soft costs, by implicit hitting sets.
//
//   Optimum best = optimise_by_hitting(*solver, encoding, rules, known, budget, found);
//
// Rules say of sets of pairs how much of them pays at least. A set of pairs that keeps all rules is
// what has to be paid as far as that is known; the solver is asked for a model in which nobody else
// pays. It names one, or a core: pairs of which one more pays, which is a new rule. The cheapest
// set is a bound, and a model of it the optimum (Davies, Bacchus: Solving MAXSAT by solving a
// sequence of simpler SAT instances, 2011). As long as cores come easily any set will do, and pairs
// of a core are let off until there is none (disjoint cores).
#pragma once

#include <functional>
#include <span>

#include "backend.h"
#include "encoding.h"
#include "engine/hitting_set.h"
#include "optimise.h"

namespace tessera::encoder {

/// Like optimise(): a model is known that pays `known`. require: the costs of `encoding` are those
/// of Objective::cost.
[[nodiscard]] Optimum optimise_by_hitting(Backend& solver, const Encoding& encoding,
                                          std::span<const engine::PairRule> rules, Cost known,
                                          const Budget& budget, const std::function<void()>& found);

}  // namespace tessera::encoder
