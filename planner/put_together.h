// The best plan of the runs that several plans have and of those near them, whatever stays.
//
//   const TogetherResult made = put_together(network, hardware, params, plan, best, others, stage);
//   if (made.runs) use(*made.runs);                      // they score less, and have a place
//
// One cover may be the best for the begin of a network and another one for its end, and another cut
// may be worth it only where other tensors stay. So the runs of all, and those that begin or end an
// op sooner or later than the best plan's or are two of its runs, are put together to a shortest
// path over positions and what stays there (search/partition/kept_cover.h). What a run costs with
// something else kept than in its plan is taken for as much more or less as its bound is; where the
// best path comes along it is tiled, until all of that path is known.
// Private to planner/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/candidates.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

using Runs = std::vector<PlannedSubgraph>;  ///< of a plan

struct TogetherResult {
  std::optional<Runs> runs{};
  std::int64_t solved = 0;  ///< runs that were asked about
};

/// `last`: the tiles that are looked for. require: all are runs of plans for the machine within the
/// limits, and `best` scores least; the weights and the reference are those of `plan`;
/// params.memory is there.
[[nodiscard]] TogetherResult put_together(const Network& network, const Hardware& hardware,
                                          const PlanParams& params, const NetworkPlan& plan,
                                          const Runs& best, std::span<const Runs* const> others,
                                          ShapeGoal::Stage last);

}  // namespace tessera::planner
