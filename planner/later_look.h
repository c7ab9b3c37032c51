// Base of the searches that improve a plan: the path search (path_search.h), weight prefetch
// (early.h).
// Private to planner/.
#pragma once

#include <cstddef>
#include <memory>
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
  static constexpr double less = cost::rounding;

  /// Everything but the plan outlives this object.
  LaterLook(const Network& network, const Hardware& hardware, const PlanParams& params,
            const NetworkPlan& plan);

  /// Infinite if a limit is exceeded.
  [[nodiscard]] double score_of(const std::vector<PlannedSubgraph>& runs) const;
  /// Finds one address per resident tensor in the groups from `first` to `last` and those tied to
  /// them. False: none was found.
  [[nodiscard]] bool settle(std::vector<PlannedSubgraph>& runs, std::size_t first,
                            std::size_t last) const;

  /// The same for all groups, with no peak above `peak`.
  [[nodiscard]] bool settle_below(std::vector<PlannedSubgraph>& runs, Size peak) const;

  /// Parameters for tiles with these tensors resident over all cut points.
  [[nodiscard]] CandidateParams candidates_with(std::vector<TensorIndex> stays) const;

  /// The answer for a group with the effort that a group of a good plan needs.
  [[nodiscard]] static std::shared_ptr<const CandidateAnswer> answer_of(Candidates& candidates,
                                                                        OpRange ops);

  /// The group in the tiles of an option. `candidates` has answered it.
  [[nodiscard]] PlannedSubgraph group_of(Candidates& candidates, OpRange ops,
                                         const PlannedSubgraph& option) const;

  /// The group in its best tiles: nothing if none is found soon, or none within the limits.
  /// `goal`: without shapes only the largest tile of each variant is evaluated. Threads that share
  /// the work help.
  [[nodiscard]] std::optional<PlannedSubgraph> best_run(Candidates& candidates, OpRange ops,
                                                        const ShapeGoal& goal,
                                                        SharedWork* shared = nullptr) const;

  /// The maximum peak of the groups.
  [[nodiscard]] static Size peak_of(const std::vector<PlannedSubgraph>& runs);

  /// Index of the group of an op, and of the op that writes a tensor.
  [[nodiscard]] static std::size_t run_of(const std::vector<PlannedSubgraph>& runs, OpIndex op);
  [[nodiscard]] OpIndex maker_of(TensorIndex tensor) const { return makers_[tensor]; }

  /// Costs a group whose buffers lie as in its first placement, which has one place per buffer of
  /// the piece. The peak does not increase.
  void cost_as_placed(const Piece& piece, PlannedSubgraph& run) const;

  /// All tensors resident as a whole over any cut point. Sorted.
  [[nodiscard]] std::vector<TensorIndex> stays_of(const std::vector<PlannedSubgraph>& runs) const;

  /// Takes the plan with other, placed groups. False if its final score is not lower.
  bool take_if_better(NetworkPlan& plan, NetworkPlan next) const;

  const Network& network_;
  const Hardware& hardware_;
  const PlanParams& params_;
  validation::LimitedBudget limited_;
  Budget budget_;
  cost::Score score_;
  PeakLimits limits_;
  Hardware within_;  ///< `hardware_` with memories reduced to the limits
  std::vector<std::optional<OpIndex>> readers_;
  mutable PieceStore pieces_;

 private:
  /// For one joint placement of groups: the nodes of one query.
  [[nodiscard]] Limits limits_to_settle() const;

  std::vector<OpIndex> makers_;
};

}  // namespace tessera::planner
