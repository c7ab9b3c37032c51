// The fewest modes with which every network keeps its score, or loses little of it; and what it
// costs to take one mode away.
//
//   const ExploreModes found = fewest_modes(profile, networks, {.lose = {0, 1}, .plan = plan,
//   ...}); if (found.reason.empty()) std::cout << found.sets[0].count << " of " <<
//   found.modes.size();
//
// A set of modes is tried by planning for the machine without the others. What plans say of other
// sets saves most of them: a plan uses some modes, and any set with these can do with it; where a
// plan is proved to be too dear, or there is none, so it should be with fewer modes. The sets tried
// are smallest ones that nothing speaks against yet (planner/smallest_set.h). Of a plan that is too
// dear that is a guess, as proofs range over tiles that depend on the modes there are: what is
// smaller than the answer is planned itself. What was planned for one loss, or for all networks
// together, answers for the others. Private to explorer/.
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
  /// Plans network n; with as few modes as may be at its score, where that is asked for. Called
  /// from one thread.
  std::function<ModePlan(std::size_t n, const Hardware& hardware, bool with_few_modes)> plan;
  Budget budget;
};

/// ensure: the needed modes are enough by a plan of each network that was made without the others;
/// fewer than `bound` are not, over what plans are proved over.
[[nodiscard]] ExploreModes fewest_modes(const Profile& machine,
                                        const std::vector<SweepNetwork>& networks,
                                        const ModeSetParams& params);

}  // namespace tessera::explorer
