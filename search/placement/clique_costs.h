// What is paid at least where buffers that must or should be apart do not fit side by side.
//
//   Cost least = cost_bound_by_cliques(problem, budget);             // of any problem, proved
//
// Of buffers any two of which conflict or cost something where they share an address, and that
// need more than the memory has, some pairs pay: a core. How many follows from sizes: n buffers in
// k slots share at least as many pairs as Turan's graph leaves out, and each pair that pays saves
// no more than the smaller of the two. A core takes its share of the costs of its pairs, the same
// of each, and the next one is looked for in what is left, so that cores add up (as in cores.h of
// the learning engine, where they come from refutations).
#pragma once

#include "model/budget.h"
#include "tessera/problem.h"

namespace tessera::search {

/// 0 where that says nothing. Equal for equal problems unless the budget ends it.
/// require: validate(problem) is empty.
[[nodiscard]] Cost cost_bound_by_cliques(const PlacementProblem& problem, const Budget& budget);

}  // namespace tessera::search
