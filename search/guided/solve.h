// The guided search of one problem whose buffers depend on each other.
//
//   Spent spent;
//   Part part = solve_part(problem, names, params, search, spent);      // throws BudgetEnded
//   if (part.outcome == Outcome::placed) use(part.placement);
//
// It has its own solver, tree and restarts; `spent` is shared by all parts of a problem.
#pragma once

#include <vector>

#include "search/guided/engine.h"
#include "search/guided/search.h"

namespace tessera::search::guided {

struct Part {
  Outcome outcome = Outcome::exhausted;  ///< never `restart`
  StopReason stop = StopReason::completed;
  Placement placement{};  ///< if placed
  Counters counters{};
};

/// `names`: by buffer, its index in the whole problem, which params.chooser expects.
[[nodiscard]] Part solve_part(const PlacementProblem& problem,
                              const std::vector<BufferIndex>& names, const GuidedParams& params,
                              const engine::SearchParams& search, Spent& spent);

}  // namespace tessera::search::guided
