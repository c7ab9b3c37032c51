// A placement engine that learns from conflicts (lazy clause generation).
//
//   auto engine = make_learning_engine({});
//   if (auto why = engine->unsupported(problem, Objective::fit)) return ask_another(*why);
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//
// It decides orders of pairs ("i below j") and offsets, propagates them, and turns each conflict
// into a learned clause; docs/internals/learning-engine.md describes it. It is strong if the load
// is flat, where canonical search needs too many branches. It does not depend on the resolution of
// addresses.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.h"

namespace tessera::search {

/// Switches of the pruning rules; no result depends on them.
struct LearningParams {
  bool triangles = true;     ///< i below j below k => i below k
  bool overload = true;      ///< more bytes than a window of one section has
  bool edge_finding = true;  ///< items that must lie above (below) a set that fills its window
  bool energy = true;        ///< bounds from the summed sizes of all items known to be below
  bool not_first = false;    ///< items that cannot be lowest (highest) of a set; weak with balance
  bool balance = true;       ///< common members of two sections and their neighbours have to fit
  bool cliques = true;       ///< sections also from relations that separate buffers at all steps
  bool generalise = true;    ///< weaken explanations by their slack
  bool minimise = true;      ///< drop literals of learned clauses that others imply
  bool order_search = true;  ///< the search that decides orders of pairs
  bool place_search = true;  ///< the search that places buffers at their lowest offset
  bool rests = true;         ///< every buffer rests on the ground or on another one
  bool symmetry = true;      ///< interchangeable buffers in one order, one mirrored pair fixed
  bool cores = true;         ///< bounds of costs from sets of which at least one is paid
  bool reduce = true;        ///< remove clauses that do not help
  bool restarts = true;      ///< Luby restarts
  bool recall = true;        ///< in sessions: reuse earlier results for new sizes
  /// Debugging: a known valid placement. A learned clause that excludes it throws std::logic_error.
  /// Requires `symmetry` and `rests` to be off. Not owned, may be null.
  const Placement* guard = nullptr;
};

/// ensure: name() is "learning". Every combination of switches decides every supported problem; if
/// order_search and place_search are both off, order_search is used.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_learning_engine(
    const LearningParams& params);

}  // namespace tessera::search
