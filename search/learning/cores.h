// Core search: sets of costs that cannot all be avoided.
//
//   switch (find_cores(search, deduction, budget, conflicts_left, stop)) { ... }
//
// Assumes that all remaining costs are avoided. A refutation names a few that cannot be avoided
// together: in most problems two or three after a few conflicts. They become a core of the cost
// rule (cost.h), their common share is subtracted, and the query is repeated. The resulting bound
// is often the optimum, whereas a search for "less than the incumbent" has to refute the sum of all
// costs at once.
#pragma once

#include "search.h"

namespace tessera::search::learning {

/// ensure: solution: the state holds a placement in which only costs of cores are paid; refuted:
/// there is none within the limit of the cost rule; stopped: no further core within the limits or
/// the budget, and the search is at level 0.
Outcome find_cores(Search& search, Deduction& deduction, const Budget& budget,
                   std::int64_t& conflicts_left, StopReason& stop);

}  // namespace tessera::search::learning
