// Minimum height for problems with arbitrary rules.
//
//   HeightResult least = least_height(problem, start, params, {.threads = 2});
//   if (least.proven) ...                                     // no placement is lower
//
// Memories that share buffers (a buffer may choose between them, or a relation spans them) form a
// group. The heights of each group are minimised lexicographically: the largest, then the next. Any
// other memory gets its own minimum.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "placer/decide.h"

namespace tessera::placer {

struct HeightParams {
  engine::SearchParams search;
  DecideParams settings;
  std::vector<Size> lower_bounds;  ///< per memory, proved, counted from address 0
  /// Per memory: the address from which its height counts. Empty: 0.
  std::vector<Size> origins{};
  [[nodiscard]] Size origin(MemoryIndex m) const { return origins.empty() ? 0 : origins[m]; }
  /// Called with heights and bounds counted from address 0.
  std::function<void(const std::vector<Size>& heights, const std::vector<Size>& bounds)> progress;
};

/// Heights counted from the origins; 0 for an unused memory.
[[nodiscard]] std::vector<Size> from_origins(std::vector<Size> ends,
                                             const std::vector<Size>& origins);

/// All heights and bounds count from the origins.
struct HeightResult {
  engine::SearchResult found;  ///< infeasible: there is no placement within the given capacities
  std::vector<Size> lower_bounds;  ///< per memory, proved
  Size lower_bound = 0;  ///< proved: of the largest height, also if memories share buffers
  /// Proved lower bound on the largest height of each group of several memories.
  std::vector<std::pair<std::vector<MemoryIndex>, Size>> group_bounds;
  bool proven = false;  ///< the largest height of every group is proved minimal
  std::string engine;
};

/// `start`: a placement that passes the checker, if known. require: validate(problem) is empty.
[[nodiscard]] HeightResult least_height(const PlacementProblem& problem,
                                        std::optional<Decision> start, const HeightParams& params);

/// Limits the end of every placement to `height`. Reserved addresses are insufficient for buffers
/// with parts: they exclude used bytes only, and a buffer may end with unused bytes. Therefore the
/// banks above are removed. Banks with modes cannot be removed; there the limit applies to used
/// bytes only.
void limit_ends(Memory& memory, Size height, bool parts);

/// Memories whose heights are minimised together, each group sorted.
[[nodiscard]] std::vector<std::vector<MemoryIndex>> memory_groups(const PlacementProblem& problem);

}  // namespace tessera::placer
