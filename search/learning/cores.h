// Looking for cores: costs that cannot all be avoided.
//
//   switch (find_cores(search, deduction, budget, conflicts_left, stop)) { ... }
//
// All costs that are not spoken for are taken for avoidable; a refutation of that names the few
// that cannot be avoided together, in most problems two or three after a few conflicts. They become
// a core of the cost rule (cost.h), their common share is set aside, and the question is asked
// again. The bound that comes of it is often the optimum, where a search for "less than the best"
// would have to refute the sum of all costs at once.
#pragma once

#include "search.h"

namespace tessera::search::learning {

/// ensure: solution: the state holds a placement in which only costs of cores are paid;
/// refuted: there is none within the limit of the cost rule; stopped: no more cores within
/// reach (or within the budget), the search is at level 0.
Outcome find_cores(Search& search, Deduction& deduction, const Budget& budget,
                   std::int64_t& conflicts_left, StopReason& stop);

}  // namespace tessera::search::learning
