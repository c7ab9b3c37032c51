// The goal of a search for cheaper tiles of a group.
//
//   ShapeGoal goal = shape_goal(score, limits, params.tile_shapes, peak_of(plan));
//   candidates.refine(ops, goal);
//
// Private to planner/.
#pragma once

#include <cstdint>

#include "cost/score.h"
#include "planner/candidates.h"
#include "planner/peaks.h"

namespace tessera::planner {

/// The score of a group within the limits. Peaks up to `free` cost nothing more.
[[nodiscard]] ShapeGoal shape_goal(const cost::Score& score, const PeakLimits& limits,
                                   std::int64_t most_shapes, Size free);

}  // namespace tessera::planner
