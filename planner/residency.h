// Tensors over cuts that stay on the chip, where that is cheaper than storing and loading them.
//
//   NetworkPlan plan = plan_once(network, hardware, params).plan;      // all of them are stored
//   take_residency(network, hardware, params, plan);                   // some stay: subgraph.kept
//
// A tensor that stays lies on the chip as a whole from the run that makes it to that of its last
// reader: tiles read and write their part of it in place, nothing of it is moved, and all runs it
// lives through have less room for their tiles. What stays is decided tensor by tensor for the
// runs of the plan, each time with the best tiles of the runs it concerns and with one place for
// everything that stays; then the cover is sought again with what stays, since short runs lose
// less. Private to planner/.
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
  std::int64_t solved = 0;                  ///< runs that were asked about
  StopReason stop = StopReason::completed;  ///< of time, memory or the user: what else may stay?
  /// Everything that may stay together, where that is few enough to be listed; else empty.
  std::vector<std::vector<TensorIndex>> sets{};
  /// No cover in the fewest tiles scores less with any of the sets, where no others are asked for.
  double fewest_bound = std::numeric_limits<double>::infinity();
  /// Plans that score hardly more, the best first: what is tried later may gain more on one of
  /// them.
  std::vector<NetworkPlan> nearly{};
};

/// `wants_nearly`: something will be tried later; `side_by_side`: covers as PlanPart says it;
/// `others`: plans in which nothing stays that may have runs of use.
/// require: the plan is one of plan_once() with these params, and feasible; params.memory is there.
/// ensure: it is one still, and scores no more. Its bound and its proof are those of the plan that
/// was given.
ResidencyWork take_residency(const Network& network, const Hardware& hardware,
                             const PlanParams& params, bool wants_nearly, bool side_by_side,
                             std::span<const NetworkPlan> others, NetworkPlan& plan);

}  // namespace tessera::planner
