// Residency: tensors across cut points stay on chip if that is cheaper than storing and loading
// them.
//
//   NetworkPlan plan = plan_once(network, hardware, params).plan;      // all are stored
//   take_residency(network, hardware, params, plan);                   // some stay: subgraph.kept
//
// A resident tensor lies on chip as a whole, from the group that writes it to the group of its last
// reader. Tiles read and write their parts of it in place, and nothing of it is transferred. All
// groups it lives through have less space for their tiles. The search decides tensor by tensor for
// the groups of the plan. Each decision uses the best tiles of the affected groups and gives every
// resident tensor one address. It then repeats the partition search with the resident tensors,
// since short groups lose less. Private to planner/.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

struct ResidencyWork {
  bool better = false;
  std::int64_t solved = 0;                  ///< groups queried
  StopReason stop = StopReason::completed;  ///< time, memory or interrupt: the search is incomplete
  /// All sets of tensors that may be resident together, if few enough to be listed; else empty.
  std::vector<std::vector<TensorIndex>> sets{};
  /// Lower bound of all fewest-tile partitions with any of the sets. Valid if no other tiles are
  /// searched.
  double fewest_bound = std::numeric_limits<double>::infinity();
  /// Plans with a slightly higher score, best first: later phases may gain more on them.
  std::vector<NetworkPlan> nearly{};
};

/// `wants_nearly`: later phases will run; `side_by_side`: partitions as in PlanPart; `others`:
/// plans without resident tensors whose groups may be of use.
/// require: the plan is a feasible result of plan_once() with these params; params.memory is set.
/// ensure: it still is, with no higher score. Its bound and proof do not change.
ResidencyWork take_residency(const Network& network, const Hardware& hardware,
                             const PlanParams& params, bool wants_nearly, bool side_by_side,
                             std::span<const NetworkPlan> others, NetworkPlan& plan);

}  // namespace tessera::planner
