// A cover of runs in the fewest tiles, made cheaper: tiles by what they cost for the runs that
// matter.
//
//   CoverResult result = best_cover(problem, params);
//   take_cheaper_tiles(candidates, problem, params, {score, limits, 64}, result);
//
// Cheaper tiles are looked for in the runs of the best cover; then the best cover is found again,
// until it has only runs that were looked at. Runs that nobody looked at would seem dear beside
// those, so they are then taken for as cheap as any tiles of theirs can be (cost/grid_bound.h), and
// the runs of the cover that is best so are looked at as well, a few times.
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
  std::int64_t most_shapes = 0;               ///< of each variant of a run
  Size largest_peak = 0;                      ///< no run peaks above it
  int patience = 0;                           ///< hopeful covers in a row that bring nothing better
  std::span<const OneCopy> one_copy{};        ///< of the machine's tiling
  std::span<const std::int64_t> reduction{};  ///< of the same
  bool side_by_side = false;                  ///< covers of runs whose last ops trail, too
  SharedWork* outer = nullptr;                ///< of the job that this is a part of
};

/// The run that was evaluated in place of this one.
[[nodiscard]] inline OpRange evaluated_run(const search::CoverRun& run) {
  return {run.evaluated, run.evaluated + run.last - run.first};
}

/// Tiles by their score, where peaks up to `free` cost nothing more.
[[nodiscard]] ShapeGoal shape_goal(const cost::Score& score, const PeakLimits& limits,
                                   std::int64_t most_shapes, Size free);

/// require: problem.evaluate asks the candidates, option by option; result is feasible.
/// ensure: the objective is not above what it was.
void take_cheaper_tiles(Candidates& candidates, const search::CoverProblem& problem,
                        const search::CoverParams& params, const CheaperTiles& how,
                        search::CoverResult& result);

}  // namespace tessera::planner
