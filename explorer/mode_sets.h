// The fewest modes with which every network keeps its score, or loses little of it; and the cost of
// removing one mode.
//
//   const ExploreModes found =
//       fewest_modes(profile, networks, {.lose = {0, 1}, .plan = plan, ...});
//   if (found.reason.empty())
//     std::cout << found.sets[0].count << " of " << found.modes.size();
//
// A set of modes is evaluated by planning for the machine without the others. Results of other sets
// save most of these plans: a plan that uses only modes of a set is a plan for it. If a plan is
// proved too expensive, or none exists, fewer modes are assumed to be insufficient, too. The search
// evaluates smallest sets that no result contradicts (planner/smallest_set.h). For plans that are
// too expensive the assumption is a heuristic, as proofs range over tiles that depend on the
// available modes; all subsets of the result are therefore planned themselves. Plans for one loss,
// or for all networks together, are reused for the others. Private to explorer/.
#pragma once

#include <functional>
#include <vector>

#include "explorer/mode_plans.h"
#include "explorer/sweep.h"
#include "model/budget.h"
#include "tessera/explore.h"

namespace tessera::explorer {

struct ModeSetParams {
  std::vector<double> lose;  ///< percent, ascending
  /// Plans network n; with the fewest modes at that score, if requested. Called from one thread.
  std::function<ModePlan(std::size_t n, const Hardware& hardware, bool with_few_modes)> plan;
  Budget budget;
};

/// ensure: the needed modes are sufficient, by a plan of each network made without the other modes.
/// Fewer than `bound` modes are not, within the scope of the proofs.
[[nodiscard]] ExploreModes fewest_modes(const Profile& machine,
                                        const std::vector<SweepNetwork>& networks,
                                        const ModeSetParams& params);

}  // namespace tessera::explorer
