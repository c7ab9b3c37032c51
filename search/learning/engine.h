// A placement engine that learns from every dead end (lazy clause generation).
//
//   auto engine = make_learning_engine({});
//   if (auto why = engine->unsupported(problem, Objective::fit)) return ask_another(*why);
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//
// It decides orders of pairs ("i below j") and offsets, propagates them, and turns each conflict
// into a clause that is never violated again; docs/learning-engine.md explains how. Strong where
// the load is flat and canonical search drowns, independent of the resolution of addresses.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.h"

namespace tessera::search {

/// Every pruning rule has a switch; the answer never depends on one, only the time does.
struct LearningParams {
  bool triangles = true;     ///< i below j below k => i below k
  bool overload = true;      ///< more bytes than room in a window of one section
  bool edge_finding = true;  ///< who must lie above (below) a set that fills its window
  bool energy = true;        ///< bounds from the summed sizes of everything known below
  bool not_first = false;    ///< who cannot lie lowest (highest) of a set; little beside balance
  bool balance = true;       ///< what two sections share fits with what lies around a member
  bool cliques = true;       ///< sections also from what relations keep apart, whenever it lives
  bool generalise = true;    ///< spend the slack of explanations
  bool minimise = true;      ///< drop literals of learned clauses implied by the others
  bool order_search = true;  ///< the search that chooses orders of pairs
  bool place_search = true;  ///< the search that places buffers at their lowest offset
  bool rests = true;         ///< every buffer lies on the ground or on another one
  bool symmetry = true;      ///< twins in one order, one mirrored pair fixed
  bool cores = true;         ///< bounds of costs from sets of which one is always paid
  bool reduce = true;        ///< forget clauses that do not help
  bool restarts = true;      ///< Luby restarts
  bool recall = true;        ///< in sessions: what earlier answers say of new sizes
  /// Debugging: a placement known to be right. A learned clause that excludes it throws
  /// std::logic_error. Switch `symmetry` and `rests` off with it. Not owned, may be null.
  const Placement* guard = nullptr;
};

/// ensure: name() is "learning"; every switch combination with at least one of order_search and
/// place_search (both off: order_search is used) decides every supported problem.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_learning_engine(
    const LearningParams& params);

}  // namespace tessera::search
