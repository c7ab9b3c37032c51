// A lower bound on soft costs from cliques whose buffers do not fit disjointly.
//
//   Cost least = cost_bound_by_cliques(problem, budget);             // of any problem, proved
//
// Consider buffers of which any two conflict or cost something if they share an address. If they
// need more than the memory has, some pairs pay: a core. The number of paying pairs follows from
// the sizes: n buffers in k slots share at least as many pairs as Turan's graph leaves out. Each
// paying pair saves at most the smaller size. A core takes an equal share of the costs of its
// pairs. The next core is searched in the remaining costs, so cores add up (as in learning/cores.h,
// where they come from refutations).
#pragma once

#include "model/budget.h"
#include "tessera/problem.h"

namespace tessera::search {

/// 0 if there is no bound. Deterministic unless the budget ends it.
/// require: validate(problem) is empty.
[[nodiscard]] Cost cost_bound_by_cliques(const PlacementProblem& problem, const Budget& budget);

}  // namespace tessera::search
