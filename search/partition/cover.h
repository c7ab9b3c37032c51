// The best way to cut a sequence of ops into consecutive runs.
//
//   CoverProblem problem{.ops = 4, .evaluate = my_evaluator, .bound = my_cheap_bound};
//   CoverResult best = best_cover(problem, {.threads = 2});
//   for (const CoverRun& run : best.runs) use(run.first, run.last, run.option);
//
// Every run [first, last] of consecutive ops is a candidate; a candidate has options (tile shape,
// double buffering, where its weights live), each with a cost that adds over the cover and a peak
// of which the cover pays the maximum. The result is the exact optimum of
//     sum of costs + peak_weight * largest peak
// over all 2^(ops-1) covers and all options. Evaluating a candidate is expensive (placements,
// simulations), so it is done lazily: a shortest path over the cut points is found with lower
// bounds in place of costs not yet known, the unknown candidates on it are evaluated, and so on
// until the shortest path is known throughout (lazy shortest path, Dellin and Srinivasa, ICAPS
// 2016). A candidate whose evaluation ran into a limit is known by what it has and by a bound of
// what it may have yet; only if that bound matters is it evaluated again, with more effort.
// The maximum is exact by a branch and bound over intervals of the peak: under the cap `hi` a
// shortest path costs C, so covers that peak above `lo` cost at least C + peak_weight * lo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "model/shared_work.h"
#include "tessera/placement.h"

namespace tessera::search {

struct CoverOption {
  double cost = 0;        ///< not negative
  std::int64_t peak = 0;  ///< not negative
};

struct CoverCandidate {
  std::vector<CoverOption> options;  ///< all there are, unless something is open
  /// The evaluation stopped at a limit: options not listed cost at least this and peak no lower.
  double open_cost = std::numeric_limits<double>::infinity();
  std::int64_t open_peak = 0;
  bool final = true;  ///< more effort would find nothing more

  [[nodiscard]] bool complete() const {
    return open_cost == std::numeric_limits<double>::infinity();
  }
};

struct CoverBound {
  double cost = 0;
  std::int64_t peak = 0;
  bool impossible = false;  ///< proved to have no option
};

struct CoverProblem {
  std::size_t ops = 0;
  /// A number per op, the same for ops that may stand for one another: runs that are alike op by op
  /// have one answer, and only the earliest of them is evaluated. Empty: no two runs are alike.
  std::vector<std::uint32_t> like;
  /// Called from several threads at once (unless there is `ahead`), with efforts 0, 1, ... until
  /// the answer is final or settles what it is needed for. ensure: deterministic.
  std::function<CoverCandidate(std::size_t first, std::size_t last, int effort)> evaluate;
  /// Cheap, asked from one thread, for runs with one first op in the order of their last ones.
  /// ensure: no option of the run, or of one that is like it, costs less or peaks lower. May be
  /// empty (zero bounds).
  std::function<CoverBound(std::size_t first, std::size_t last)> bound;
  /// What evaluate() said before, and with which effort, as far as that takes no work: such runs
  /// are known from the start. May be empty.
  std::function<std::optional<std::pair<CoverCandidate, int>>(std::size_t first, std::size_t last)>
      known{};
  /// What evaluate() will say, so that it is quick when it is called: changes nothing else, and
  /// says nothing where that is no use. Called from other threads, besides evaluate(). Then
  /// evaluate() is called from one thread at a time. May be empty.
  std::function<std::optional<CoverCandidate>(std::size_t first, std::size_t last, int effort)>
      ahead{};
  /// Would evaluate() wait for whoever is finding out the same for somebody else? May be empty.
  std::function<bool(std::size_t first, std::size_t last, int effort)> under_way{};
  std::size_t max_ops = std::numeric_limits<std::size_t>::max();  ///< longest run
  double peak_weight = 0;
};

struct CoverParams {
  int threads = 1;
  SharedWork* outer = nullptr;  ///< of the job that this is a part of
  SharedWork* inner = nullptr;  ///< of whoever evaluates: others help while they have no run to do
  Budget budget;
  /// Covers that cost as much are of no use: the search ends where all there may be do.
  double worth_below = std::numeric_limits<double>::infinity();
  /// Called between rounds, some times per second, with what the search would say were it stopped
  /// now: (best objective or infinity, proved bound, evaluated).
  std::function<void(double, double, std::int64_t)> progress;
};

struct CoverRun {
  std::size_t first = 0;
  std::size_t last = 0;       ///< inclusive
  std::size_t option = 0;     ///< of what was evaluated:
  std::size_t evaluated = 0;  ///< the first op of the run like this one that was
};

struct CoverResult {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::vector<CoverRun> runs;  ///< in order, each op once; empty unless feasible
  double objective = std::numeric_limits<double>::infinity();
  double bound = 0;             ///< proved: no cover costs less (given complete candidates)
  bool optimal = false;         ///< objective == bound
  std::int64_t candidates = 0;  ///< runs within max_ops
  std::int64_t evaluated = 0;
  std::int64_t answered = 0;           ///< runs that are like an evaluated one, it among them
  std::int64_t excluded_by_bound = 0;  ///< proved impossible without evaluation
  std::int64_t never_needed = 0;       ///< neither: their bounds kept them off every best path
  std::int64_t again = 0;              ///< evaluations with more effort
  std::int64_t rounds = 0;
  /// The run limit kept a run out that its bound alone would have allowed on a better cover.
  bool limit_mattered = false;
};

/// ensure: the same result for every number of threads when it completes.
[[nodiscard]] CoverResult best_cover(const CoverProblem& problem, const CoverParams& params);

}  // namespace tessera::search
