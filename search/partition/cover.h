// The best partition of a sequence of ops into groups of consecutive ops.
//
//   CoverProblem problem{.ops = 4, .evaluate = my_evaluator, .bound = my_cheap_bound};
//   CoverResult best = best_cover(problem, {.threads = 2});
//   for (const CoverRun& run : best.runs) use(run.first, run.last, run.option);
//
// Every group [first, last] is a candidate. A candidate has options (tile shape, double buffering,
// place of its weights). Each option has a cost, which adds over the partition, and a peak, of
// which the partition pays the maximum. The result is the exact optimum of
//     sum of costs + peak_weight * largest peak
// over all 2^(ops-1) partitions and all options.
//
// Evaluating a candidate is expensive (placements, simulations), so it is done lazily. A shortest
// path over the cut points uses lower bounds in place of unknown costs. The unknown candidates on
// it are evaluated, and so on until all costs on the shortest path are known. (Lazy shortest path:
// Dellin and Srinivasa, ICAPS 2016.) A candidate whose evaluation reached a limit has the options
// found and a bound on the others. It is evaluated again with more effort only if that bound
// matters.
//
// The maximum is exact by branch and bound over intervals of the peak. If a shortest path under the
// cap `hi` costs C, partitions that peak above `lo` cost at least C + peak_weight * lo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "model/numeric.h"
#include "tessera/placement.h"

namespace tessera::search {

struct CoverOption {
  double cost = 0;        ///< not negative
  std::int64_t peak = 0;  ///< not negative
};

struct CoverCandidate {
  std::vector<CoverOption> options;  ///< all options, unless some are unresolved
  /// The evaluation stopped at a limit: options not listed cost at least this, with peaks no lower
  /// than the next field.
  double unresolved_cost = infinity;
  std::int64_t unresolved_peak = 0;
  bool final = true;  ///< more effort would find nothing more

  [[nodiscard]] bool complete() const { return unresolved_cost == infinity; }
};

struct CoverBound {
  double cost = 0;
  std::int64_t peak = 0;
  bool impossible = false;  ///< proved to have no option
};

struct CoverProblem {
  std::size_t ops = 0;
  /// A number per op, equal for ops that may replace each other. Groups with equal numbers have one
  /// result, and only the earliest of them is evaluated. Empty: all groups differ.
  std::vector<std::uint32_t> like;
  /// Evaluates a group. Called from several threads at once, with efforts 0, 1, ... until the
  /// result is final or suffices. ensure: deterministic.
  std::function<CoverCandidate(std::size_t first, std::size_t last, int effort)> evaluate;
  /// A cheap lower bound. Called from one thread, for groups with one first op in the order of
  /// their last ones. May be empty (bounds 0).
  /// ensure: no option of the group, or of an equal one, costs less or peaks lower.
  std::function<CoverBound(std::size_t first, std::size_t last)> bound;
  std::size_t max_ops = std::numeric_limits<std::size_t>::max();  ///< longest group
  double peak_weight = 0;
};

struct CoverParams {
  int threads = 1;
  Budget budget;
  /// Called between rounds, some times per second, with the current state: (best objective or
  /// infinity, proved bound, evaluated).
  std::function<void(double, double, std::int64_t)> progress;
};

struct CoverRun {
  std::size_t first = 0;
  std::size_t last = 0;       ///< inclusive
  std::size_t option = 0;     ///< of the evaluated group
  std::size_t evaluated = 0;  ///< the first op of the equal group that was evaluated
};

struct CoverResult {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::vector<CoverRun> runs;  ///< in order, each op once; empty unless feasible
  double objective = infinity;
  double bound = 0;             ///< proved: no partition costs less (given complete candidates)
  bool optimal = false;         ///< objective == bound
  std::int64_t candidates = 0;  ///< groups within max_ops
  std::int64_t evaluated = 0;
  std::int64_t answered = 0;           ///< groups equal to an evaluated one, including it
  std::int64_t excluded_by_bound = 0;  ///< proved impossible without evaluation
  std::int64_t never_needed = 0;       ///< not evaluated, because of their bounds
  std::int64_t again = 0;              ///< evaluations with more effort
  std::int64_t rounds = 0;
  /// A longer group than max_ops permits might be part of a better partition, by its bound.
  bool limit_mattered = false;
};

/// ensure: the same result for every number of threads if it completes.
[[nodiscard]] CoverResult best_cover(const CoverProblem& problem, const CoverParams& params);

}  // namespace tessera::search
