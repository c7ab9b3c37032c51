// Cheaper tiles for a partition in the fewest tiles, limited to the groups that matter.
//
//   CoverResult result = best_cover(problem, params);
//   take_cheaper_tiles(candidates, problem, params, {score, limits, 64}, result);
//
// The search refines the groups of the best partition and repeats the partition search until all
// groups of its result are refined. Groups that are not refined would seem expensive compared with
// refined ones. The search therefore repeats a few times with lower bounds for them
// (cost/grid_bound.h). It refines the groups of the partition that is best under these bounds.
// Private to planner/.
#pragma once

#include <span>

#include "cost/score.h"
#include "model/shared_work.h"
#include "planner/candidates.h"
#include "planner/peaks.h"
#include "search/partition/cover.h"

namespace tessera::planner {

struct CheaperTiles {
  const cost::Score& score;
  const PeakLimits& limits;
  std::int64_t most_shapes = 0;         ///< per variant of a group
  Size largest_peak = 0;                ///< no group has a higher peak
  int patience = 0;                     ///< optimistic partitions in a row without an improvement
  std::span<const OneCopy> one_copy{};  ///< machine's tiling.one_copy
  std::span<const std::int64_t> reduction{};  ///< machine's tiling.reduction
  bool side_by_side = false;                  ///< also partitions with pipelined last ops
  SharedWork* outer = nullptr;                ///< of the enclosing job
};

/// The group whose evaluation stands for this one.
[[nodiscard]] inline OpRange evaluated_run(const search::CoverRun& run) {
  return {run.evaluated, run.evaluated + run.last - run.first};
}

/// Orders tiles by their score; peaks up to `free` are not charged.
[[nodiscard]] ShapeGoal shape_goal(const cost::Score& score, const PeakLimits& limits,
                                   std::int64_t most_shapes, Size free);

/// require: problem.evaluate asks the candidates, option by option; result is feasible.
/// ensure: the objective does not increase.
void take_cheaper_tiles(Candidates& candidates, const search::CoverProblem& problem,
                        const search::CoverParams& params, const CheaperTiles& how,
                        search::CoverResult& result);

}  // namespace tessera::planner
