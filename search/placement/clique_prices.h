// A lower bound on soft costs by the best prices of clique rules (clique_rules.h).
//
//   CliquePrices proved = cost_bound_by_prices(problem, known_cost, budget);
//   proved.bound;                     // no placement pays less
//   proved.apart;                     // pairs that share nothing in any that is cheaper than known
//
// In clique_costs.h each core takes a fixed share of costs. Here shares move between rules as long
// as the bound grows, and rules are searched that the current shares violate: a linear program by
// cutting planes, solved as accurately as the bound needs.
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
  std::vector<engine::PairRule> kept;  ///< the rules that imply the bound
  std::int64_t rounds = 0;
  std::int64_t rules = 0;
};

/// Deterministic unless a time limit ends it.
/// require: validate(problem) is empty; a placement of cost `known` exists.
[[nodiscard]] CliquePrices cost_bound_by_prices(const PlacementProblem& problem, Cost known,
                                                const Budget& budget);

}  // namespace tessera::search
