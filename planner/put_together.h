// Recombines the groups of several plans, and groups similar to them, with any resident tensors.
//
//   const TogetherResult made = put_together(network, hardware, params, plan, best, others, stage);
//   if (made.runs) use(*made.runs);                      // they score less, and have a place
//
// Different partitions may be best for the begin and the end of a network. A cut point may pay off
// only with other resident tensors. The input is the groups of all plans. Variants of the best
// plan's groups are added: begin or end one op earlier or later, or two groups joined. The search
// is a shortest path over positions with resident sets (search/partition/kept_cover.h). The cost of
// a group with another resident set is estimated by the change of its bound. Groups on the best
// path are tiled until the whole path is known. Private to planner/.
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
  std::int64_t solved = 0;  ///< groups queried
};

/// `last`: last stage of the tile search. require: all are groups of plans for the machine within
/// the limits; `best` has the lowest score; `plan` has the weights and the reference; params.memory
/// is set.
[[nodiscard]] TogetherResult put_together(const Network& network, const Hardware& hardware,
                                          const PlanParams& params, const NetworkPlan& plan,
                                          const Runs& best, std::span<const Runs* const> others,
                                          ShapeGoal::Stage last);

}  // namespace tessera::planner
