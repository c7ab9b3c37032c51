// Is there no better plan, whatever its cuts, its tiles and what it chooses in them?
//
//   const Proof proof = prove(candidates, problem, {score, limits, plan.score, 20000, capacity},
//                             budget, result);
//   if (proof.proved) say("no cover, no tile shape and no variant scores less");
//
// Covers are found with what each run costs at least, whatever its tiles (cost/grid_bound.h). Where
// such a cover would be better than the best plan that is known, its runs are looked at: first the
// bounds of their numbers of tiles along each axis, then every shape in every variant that might
// still make a better plan, and at last those that would are placed, in no more of the memory than
// the cover would peak at. What is refuted so makes the next such cover dearer, until none is left,
// or the best of them is a plan: a better one than was known.
// Private to planner/.
#pragma once

#include <cstdint>
#include <functional>

#include "cost/score.h"
#include "planner/candidates.h"
#include "planner/peaks.h"
#include "search/partition/cover.h"

namespace tessera::planner {

struct ProofParams {
  const cost::Score& score;
  const PeakLimits& limits;
  double below = 0;              ///< what is looked for scores less
  std::int64_t most_shapes = 0;  ///< so many are looked at in all
  Size largest_peak = 0;         ///< no run peaks above it
  int threads = 1;
  double idle_pj = 0;  ///< each cycle takes, whatever is done in it
  /// No tiling of the run [first, last] costs less in any respect. Asked from one thread; may be
  /// empty.
  std::function<Metrics(std::size_t first, std::size_t last)> least{};
  /// The run may be quicker than its tilings by so many cycles at most. Then no plan is found,
  /// since nobody says how; empty: none is. Asked from one thread.
  std::function<std::int64_t(std::size_t first, std::size_t last)> early{};
};

struct Proof {
  bool proved = false;  ///< nothing scores less than `below`, or than the result where that is less
  double bound = 0;     ///< nothing scores less than this
  StopReason stop = StopReason::completed;
};

/// `problem`: its bounds hold for whatever tiles; `result` gets the cover that is better than
/// `below`, where one is found, as options of the candidates.
[[nodiscard]] Proof prove(Candidates& candidates, const search::CoverProblem& problem,
                          const ProofParams& params, const Budget& budget,
                          search::CoverResult& result);

}  // namespace tessera::planner
