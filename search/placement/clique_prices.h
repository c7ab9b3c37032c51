// What is paid at least, by the best prices of rules about cliques (clique_rules.h).
//
//   CliquePrices proved = cost_bound_by_prices(problem, known_cost, budget);
//   proved.bound;                     // no placement pays less
//   proved.apart;                     // pairs that share nothing in any that is cheaper than known
//
// Where clique_costs.h lets each core take its share of costs once and for all, here shares are
// moved between rules as long as that proves more, and rules are looked for that the present shares
// do not keep: a linear program by cutting planes, solved as well as its bound needs.
#pragma once

#include <utility>
#include <vector>

#include "engine/hitting_set.h"
#include "model/budget.h"
#include "tessera/problem.h"

namespace tessera::search {

struct CliquePrices {
  Cost bound = 0;
  std::vector<std::pair<BufferIndex, BufferIndex>> apart;
  std::vector<engine::PairRule> kept;  ///< the rules that say so
  std::int64_t rounds = 0;
  std::int64_t rules = 0;
};

/// Equal for equal arguments unless a limit of time ends it.
/// require: validate(problem) is empty; a placement is known that pays `known`.
[[nodiscard]] CliquePrices cost_bound_by_prices(const PlacementProblem& problem, Cost known,
                                                const Budget& budget);

}  // namespace tessera::search
