// A placement engine that consults a constraint solver at every step, as TelaMalloc does (Maas,
// Beaugnon, Chauhan, Ilbeyi, "TelaMalloc: Efficient On-Chip Memory Allocation for Production
// Machine Learning Accelerators", ASPLOS 2023).
//
//   auto engine = make_guided_engine({});
//   if (auto why = engine->unsupported(problem, Objective::fit)) return ask_another(*why);
//   SearchResult found = engine->solve(problem, {.budget = {.max_nodes = 500'000}});
//
// The search tree branches on the next buffer. Each buffer is put at its lowest place according to
// the solver, and the solver reports conflicts and their reasons at once. The solver is the
// propagation of the learning engine (search/learning/deduction.h). docs/internals/guided-search.md
// compares the engine with the paper. A step is a buffer that was put somewhere; Budget::max_nodes
// counts steps.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/advisor.h"
#include "engine/engine.h"
#include "search/guided/retreat.h"

namespace tessera::search {

/// Which unplaced buffers of a phase are candidates.
enum class GuidedStrategy : std::uint8_t {
  combined,  ///< by lifetime, by size and by area
  lifetime,
  size,
  area,
  lowest,  ///< the one whose lowest place is lowest, whatever its phase
};

/// The rules of the search, each with its switch; no result depends on one.
struct GuidedParams {
  bool phases = true;  ///< place buffers phase by phase, the most contended first
  GuidedStrategy strategy = GuidedStrategy::combined;
  bool directed = true;  ///< backtrack to a placement in the conflict; else to the last one
  bool promote = true;   ///< try failed candidates first at the backtrack target
  bool others = true;    ///< in an exhausted tree, try all other buffers until one fits
  bool stuck = true;     ///< leave a subtree with too many backtracks
  bool lowest = true;    ///< with `combined`: half of the trees use `lowest` instead
  bool restarts = true;  ///< restart with other tie-breaks, and with a solver that reasons less
  bool learn = true;     ///< add refusals to the solver as clauses
  bool sections = true;  ///< use all section rules; if false, only their floor
  bool learned = true;   ///< without `learn`: a forest chooses the backtrack target
  guided::RetreatChooser* chooser = nullptr;  ///< replaces the forest; not owned
  int most_candidates = 16;                   ///< per point, including promoted candidates
  int stuck_after = 100;                      ///< backtracks inside a subtree
  /// Builds an advisor that is consulted after every decision in addition to the solver
  /// (engine/advisor.h). Empty or returning null: no advisor.
  engine::MakeAdvisor advisor{};
};

/// Finds placements, and proves infeasibility if the solver refutes the problem without any
/// decision. Otherwise it stops (Status::unknown), because it does not try all candidates.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_guided_engine(
    const GuidedParams& params = {});

}  // namespace tessera::search
