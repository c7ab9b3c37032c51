// The rules of a session, kept between queries: a query replaces their numbers only.
//
//   if (!Live::takes(problem)) return solve_once(...);
//   Live live(problem, params, budget);              // throws BudgetEnded
//   SearchResult found = live.solve(layer, search);  // throws BudgetEnded: then it is void
#pragma once

#include "build.h"
#include "engine/engine.h"
#include "kept.h"
#include "search.h"

namespace tessera::search::learning {

class Live {
 public:
  [[nodiscard]] static bool takes(const PlacementProblem& problem) {
    return Build::renewable(problem, Objective::fit);
  }
  /// require: takes(problem).
  Live(const PlacementProblem& problem, const LearningParams& params, const Budget& budget);

  /// require: the goal is a fit, without a proof or the buffers used.
  engine::SearchResult solve(const SizeLayer& layer, const engine::SearchParams& params);

 private:
  void replace_numbers(const SizeLayer& layer);
  [[nodiscard]] Placement placement() const;

  const std::vector<BufferIndex> order_;  ///< the buffers of problem_ in the session's problem
  PlacementProblem problem_;
  const LearningParams params_;
  Poll poll_;
  Deduction deduction_;
  Build build_;
  KeptClauses kept_;
  std::optional<Search> search_;  ///< after build_.all()
};

}  // namespace tessera::search::learning
