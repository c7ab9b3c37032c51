// A placement engine that asks a solver at every step, as TelaMalloc does (Maas, Beaugnon, Chauhan,
// Ilbeyi, "TelaMalloc: Efficient On-Chip Memory Allocation for Production Machine Learning
// Accelerators", ASPLOS 2023).
//
//   auto engine = make_guided_engine({});
//   if (auto why = engine->unsupported(problem, Objective::fit)) return ask_another(*why);
//   SearchResult found = engine->solve(problem, {.budget = {.max_nodes = 500'000}});
//
// A tree over "which buffer next": each goes to the lowest place the solver still sees, and the
// solver says at once when nothing is left, and why. The solver is the propagation of the learning
// engine (search/learning/deduction.h); docs/guided.md says what is as in the paper and what is
// not. A step is a buffer that was put somewhere; Budget::max_nodes counts them.
#pragma once

#include <memory>

#include "engine/advisor.h"
#include "engine/engine.h"
#include "search/guided/retreat.h"

namespace tessera::search {

/// The parts of the search, each with its switch; the answer never depends on one.
struct GuidedParams {
  bool phases = true;      ///< what is most contended goes first, phase by phase
  bool candidates = true;  ///< longest, largest and largest area; without: the longest alone
  bool directed = true;    ///< back to a placement in the conflict; without: to the one before
  bool promote = true;     ///< what failed is tried first where the search goes back to
  bool stuck = true;       ///< leave a subtree that was backtracked into too often
  bool widen = true;       ///< more candidates once the tree with a few is exhausted
  bool restarts = true;    ///< begin again with other ties, and with a solver that reasons less
  bool learn = true;       ///< the solver remembers what it refused, as a clause
  bool sections = true;    ///< the solver uses all section rules; without: their floor alone
  bool learned = true;     ///< a forest says how far to go back (retreat.h)
  guided::RetreatChooser* chooser = nullptr;  ///< instead of the forest; not owned
  int most_candidates = 16;                   ///< of one point, with those that were prepended
  int stuck_after = 100;                      ///< backtracks inside a subtree
  /// Who is asked after every decision whether anything is left, beside the solver of the search
  /// (engine/advisor.h); empty, or giving nothing for a problem: nobody.
  engine::MakeAdvisor advisor{};
};

/// Finds placements, proves that there is none where the solver sees it without any decision, and
/// otherwise gives up (Status::unknown): three candidates are not all there are.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_guided_engine(
    const GuidedParams& params = {});

}  // namespace tessera::search
