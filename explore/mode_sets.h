// The fewest modes with which every network keeps its score, or loses little of it.
//
//   const ExploreModes found = fewest_modes(profile, networks, {.lose = 1, .plan = plan, ...});
//   if (found.reason.empty()) std::cout << found.needed << " of " << found.modes.size() << '\n';
//
// A set of modes is tried by planning for the machine without the others. What plans say of other
// sets saves most of them: a plan uses some modes, and any set with these can do with it; where a
// plan is proved to be too dear, or there is none, so it is with fewer modes. The sets tried are
// smallest ones that nothing speaks against yet (planner/smallest_set.h). Private to explore/.
#pragma once

#include <functional>
#include <vector>

#include "explore/sweep.h"
#include "model/budget.h"
#include "tessera/explore.h"
#include "tessera/plan.h"

namespace tessera {

struct ModeSetParams {
  double lose = 0;  ///< percent
  /// Plans network n; with as few modes as may be at its score, where that is asked for. Called
  /// from one thread.
  std::function<NetworkPlan(std::size_t n, const Hardware& hardware, bool with_few_modes)> plan;
  Budget budget;
};

/// ensure: the needed modes are enough by a plan of each network that was made without the others;
/// fewer than `bound` are not, over what plans are proved over.
[[nodiscard]] ExploreModes fewest_modes(const Profile& machine,
                                        const std::vector<SweepNetwork>& networks,
                                        const ModeSetParams& params);

}  // namespace tessera
