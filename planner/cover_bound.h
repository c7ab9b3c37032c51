// A lower bound on the cost of every partition of a network, with any tiling of its groups.
//
//   const double all_stored = bound_of_covers(network, hardware, {}, {.score = score});
//   const double any = bound_whatever_stays(network, hardware, capacity, {.score = score});
//
// A shortest path over bounds of groups (cost/group_bound.h). With resident tensors, the states are
// positions with resident sets (search/partition/kept_cover.h). Resident tensors are not
// transferred, and those of one position share the capacity. Private to planner/.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "cost/score.h"
#include "model/budget.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/plan.h"

namespace tessera::planner {

struct CoverBoundParams {
  const cost::Score& score;
  std::size_t max_ops = std::numeric_limits<std::size_t>::max();  ///< of a group
  bool early = false;  ///< with weight prefetch (cost::GroupBounds)
  Budget budget{};
};

/// Tensors in `stays` (sorted) are not transferred, resident or not. 0 if the budget ends first.
/// Throws std::invalid_argument for a machine that cannot be simulated.
[[nodiscard]] double bound_of_covers(const Network& network, const Hardware& hardware,
                                     std::span<const TensorIndex> stays,
                                     const CoverBoundParams& params);

/// A tensor is resident for its whole life or not at all, with at most `room` resident bytes at a
/// time. If peaks have a weight, resident tensors count towards them. Tensors too many to be
/// distinguished take no bytes. Otherwise as above.
[[nodiscard]] double bound_whatever_stays(const Network& network, const Hardware& hardware,
                                          Size room, const CoverBoundParams& params);

/// Valid for all partitions and resident sets: a sum over all ops. Weaker than the other bounds,
/// and fast.
[[nodiscard]] double bound_of_all(const Network& network, const Hardware& hardware,
                                  const CoverBoundParams& params);

/// Valid for all resident sets that the plans may choose within their peak limits. bound_of_all()
/// if the budget ends first.
[[nodiscard]] double bound_of_plans(const Network& network, const Hardware& hardware,
                                    const PlanParams& plans, const CoverBoundParams& params);

}  // namespace tessera::planner
