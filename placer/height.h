// The least height, whatever rules the problem has.
//
//   HeightResult least = least_height(problem, start, params, {.threads = 2});
//   if (least.proven) ...                                     // no placement is lower
//
// Memories that share buffers (a buffer may choose between them, or a relation spans them) form a
// group. The heights of each group are minimised lexicographically: the largest, then the next. A
// memory with its own buffers gets its own minimum.
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
  /// Told heights and bounds counted from address 0.
  std::function<void(const std::vector<Size>& heights, const std::vector<Size>& bounds)> progress;
};

/// Heights counted from the origins. An unused memory has none.
[[nodiscard]] std::vector<Size> from_origins(std::vector<Size> ends,
                                             const std::vector<Size>& origins);

/// All heights and bounds count from the origins.
struct HeightResult {
  engine::SearchResult found;      ///< infeasible: not even the given capacities can be kept
  std::vector<Size> lower_bounds;  ///< per memory, proved
  Size lower_bound = 0;  ///< proved: of the largest height, also where memories share buffers
  /// What is proved of each group of more than one memory: its largest height is at least this.
  std::vector<std::pair<std::vector<MemoryIndex>, Size>> group_bounds;
  bool proven = false;  ///< the largest height of every group is the least
  std::string engine;
};

/// `start`: a placement that passes the checker, if one is known.
/// require: validate(problem) is empty.
[[nodiscard]] HeightResult least_height(const PlacementProblem& problem,
                                        std::optional<Decision> start, const HeightParams& params);

/// No placement below has a larger end. Reserved addresses would not do where buffers have parts:
/// they are asked to keep used bytes out alone, and a buffer may end in bytes that nobody uses. So
/// banks above are taken away; what modes say of them would go as well, so there it stays a bound
/// on the bytes that are used.
void limit_ends(Memory& memory, Size height, bool parts);

/// Memories that must be minimised together, each group sorted.
[[nodiscard]] std::vector<std::vector<MemoryIndex>> memory_groups(const PlacementProblem& problem);

}  // namespace tessera::placer
