// The least height, whatever rules the problem has.
//
//   HeightResult least = least_height(problem, start, params, {.threads = 2});
//   if (least.proven) ...                                     // no placement is lower
//
// Memories that share buffers (a buffer may choose between them, or a relation spans them) form a
// group; the largest height of each group is minimised, so a memory with its own buffers gets its
// own minimum.
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
  std::vector<Size> lower_bounds;  ///< per memory, proved
  std::function<void(const std::vector<Size>& heights, const std::vector<Size>& bounds)> progress;
};

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
