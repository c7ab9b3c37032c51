// What looks for something better go by that begin when there is a plan: what stays on the chip
// from run to run (residency.h), what is tried run by run at last (run_by_run.h),
// weights that come early (early.h).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cost/score.h"
#include "model/budget.h"
#include "model/shared_work.h"
#include "planner/candidates.h"
#include "planner/peaks.h"
#include "planner/piece_store.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"
#include "validation/limited_budget.h"

namespace tessera::planner {

class LaterLook {
 protected:
  /// Sums in another order may differ by a hair.
  static constexpr double less = 1 - 1e-9;

  /// All but the plan outlive it.
  LaterLook(const Network& network, const Hardware& hardware, const PlanParams& params,
            const NetworkPlan& plan);

  /// Infinite where a limit is not kept.
  [[nodiscard]] double score_of(const std::vector<PlannedSubgraph>& runs) const;
  /// One place for everything that stays, in the runs from `first` to `last` and those tied to
  /// them: false where there is none.
  [[nodiscard]] bool settle(std::vector<PlannedSubgraph>& runs, std::size_t first,
                            std::size_t last) const;

  /// Likewise of all runs, where no run peaks higher than that.
  [[nodiscard]] bool settle_below(std::vector<PlannedSubgraph>& runs, Size peak) const;

  /// For tiles with these on the chip over all cuts.
  [[nodiscard]] CandidateParams candidates_with(std::vector<TensorIndex> stays) const;

  /// The run in its best tiles where peaks up to `free` cost nothing more: nothing where none are
  /// found soon, or none within the limits. Whoever shares the work helps with it.
  [[nodiscard]] std::optional<PlannedSubgraph> best_run(Candidates& candidates, OpRange ops,
                                                        Size free, ShapeGoal::Stage last,
                                                        SharedWork* shared = nullptr) const;

  /// The highest of the runs.
  [[nodiscard]] static Size peak_of(const std::vector<PlannedSubgraph>& runs);

  /// Index of the run of an op, and of the op that makes a tensor.
  [[nodiscard]] static std::size_t run_of(const std::vector<PlannedSubgraph>& runs, OpIndex op);
  [[nodiscard]] OpIndex maker_of(TensorIndex tensor) const { return makers_[tensor]; }

  /// What a run takes whose buffers lie where its first placement says, one for each of the
  /// piece's: it peaks no higher so.
  void cost_as_placed(const Piece& piece, PlannedSubgraph& run) const;

  /// Whatever stays as a whole, over any cut. Sorted.
  [[nodiscard]] std::vector<TensorIndex> stays_of(const std::vector<PlannedSubgraph>& runs) const;

  /// The plan with other runs, which have a place: false where it is no better when all is said.
  bool take_if_better(NetworkPlan& plan, NetworkPlan next) const;

  const Network& network_;
  const Hardware& hardware_;
  const PlanParams& params_;
  validation::LimitedBudget limited_;
  Budget budget_;
  cost::Score score_;
  PeakLimits limits_;
  Hardware within_;  ///< `hardware_` with the memory that the limits leave
  std::vector<std::optional<OpIndex>> readers_;
  mutable PieceStore pieces_;

 private:
  /// For runs that are placed together: each tensor is a question.
  [[nodiscard]] Limits limits_to_settle() const;

  std::vector<OpIndex> makers_;
};

}  // namespace tessera::planner
