// The least height: improves from above and refutes from below until both meet.
//
//   MinimizeResult least = minimize_height(problem, {.budget = {.deadline = soon}, .threads = 2});
//   if (least.proven) std::cout << "no placement is lower than " << least.heights[0] << '\n';
//
// Every memory has its own minimum. With two threads, one searches for lower placements while the
// other proves that the lowest open height is impossible; both share the bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "search/placement/canonical.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::search {

struct MinimizeParams {
  Budget budget{};
  std::uint64_t seed = 0;
  int threads = 1;
  CanonicalParams canonical{};
  std::optional<Placement> start{};  ///< a checked placement to improve, if available
  std::vector<Size> lower_bounds{};  ///< per memory, proved elsewhere; empty: computed here
  /// Decides a problem with lowered capacities instead of the canonical search (for example a race
  /// of engines). Called from both threads; has to obey SearchParams::budget.
  std::function<engine::SearchResult(const PlacementProblem&, const engine::SearchParams&)>
      decide{};
  /// Called (from any thread, one at a time) whenever the best height or a bound changes.
  std::function<void(const std::vector<Size>& heights, const std::vector<Size>& bounds)> progress{};
};

struct MinimizeResult {
  /// feasible: `placement` is set. infeasible: no placement within the given capacities exists.
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::optional<Placement> placement;
  std::vector<Size> heights;         ///< per memory, of `placement`
  std::vector<Size> lower_bounds{};  ///< per memory, proved
  bool proven = false;               ///< heights == lower_bounds
  std::string reason;                ///< for infeasible and unknown
  Stats stats;
};

/// Can heights of this problem be minimised without `decide`?
[[nodiscard]] bool can_minimize(const PlacementProblem& problem);

/// require: validate(problem) is empty; can_minimize(problem), or params.decide is set and every
/// buffer is restricted to one memory.
[[nodiscard]] MinimizeResult minimize_height(const PlacementProblem& problem,
                                             const MinimizeParams& params);

}  // namespace tessera::search
