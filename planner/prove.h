// Proof that a plan is optimal over all partitions, tile shapes and variants.
//
//   const Proof proof = prove(candidates, problem, {score, limits, plan.score, 20000, capacity},
//                             budget, result);
//   if (proof.proved) say("no cover, no tile shape and no variant scores less");
//
// The proof searches partitions with lower bounds for the groups (cost/grid_bound.h). If the best
// one scores less than the known plan, the bounds of its groups are refined. The first step bounds
// the numbers of tiles along each axis. The second evaluates every shape in every variant that may
// still improve the plan. The last places these shapes, within the peak of the partition. Each
// refutation raises the bounds. The proof ends when no such partition is left, or when the best one
// is a plan, which then improves on the known one. Private to planner/.
#pragma once

#include <cstdint>
#include <functional>

#include "cost/score.h"
#include "planner/candidates.h"
#include "planner/peaks.h"
#include "search/partition/cover.h"

namespace tessera::planner {

/// The group that was evaluated in place of this one.
[[nodiscard]] inline OpRange evaluated_run(const search::CoverRun& run) {
  return {run.evaluated, run.evaluated + run.last - run.first};
}

struct ProofParams {
  const cost::Score& score;
  const PeakLimits& limits;
  double below = 0;              ///< sought is a score below this
  std::int64_t most_shapes = 0;  ///< limit on evaluated shapes in all
  Size largest_peak = 0;         ///< no group has a higher peak
  int threads = 1;
  double idle_pj = 0;  ///< per cycle, whatever the machine executes
  /// Lower bound per metric of all tilings of the group [first, last]. Called from one thread; may
  /// be empty.
  std::function<Metrics(std::size_t first, std::size_t last)> least{};
  /// Maximum cycles that the group may save against its tilings. No plan is then found, since the
  /// saving has no construction. Empty: none. Called from one thread.
  std::function<std::int64_t(std::size_t first, std::size_t last)> early{};
};

struct Proof {
  bool proved = false;  ///< nothing scores less than `below`, or than a better result
  double bound = 0;     ///< nothing scores less than this
  StopReason stop = StopReason::completed;
};

/// The bounds of `problem` hold for all tilings. `result` receives a partition with a score below
/// `below`, if one is found, as options of the candidates.
[[nodiscard]] Proof prove(Candidates& candidates, const search::CoverProblem& problem,
                          const ProofParams& params, const Budget& budget,
                          search::CoverResult& result);

}  // namespace tessera::planner
