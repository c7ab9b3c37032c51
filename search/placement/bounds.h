// Proved lower bounds on the height, at low cost compared with a search.
//
//   Bounds bounds = lower_bounds(problem, {});
//   if (bounds.infeasible) report(*bounds.infeasible);        // a proof: no placement exists
//   Size least = bounds.heights[memory];                      // <= height of every placement
//
// The basic bound is the largest load of a step. It is strengthened by alignment, fixed offsets,
// windows and reserved ranges, and by the sums that sizes can form. If relations separate buffers,
// cliques of buffers that never share a byte give further bounds. A buffer that may use several
// memories counts only for the sum of all capacities.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "tessera/problem.h"

namespace tessera::search {

struct BoundsParams {
  /// Polled if there are many buffers, and by the slower bounds; a bound that it ends is 0.
  Budget budget{};
  bool domains = true;      ///< use windows, fixed offsets, reserved ranges and alignment
  bool subset_sums = true;  ///< round up to a height that sizes can form
};

struct MemoryBound {
  Size load = 0;    ///< the largest sum of sizes live at one step
  Size height = 0;  ///< proved: no placement of this memory's buffers is lower; >= load
  Step peak = 0;    ///< a step with this load
  std::vector<BufferIndex> live_at_peak;
  /// Buffers of which no two may share a byte, if they determine `height` and the buffers of a step
  /// do not.
  std::vector<BufferIndex> clique;
};

struct Bounds {
  std::vector<MemoryBound> memories;
  std::vector<Size> heights;  ///< memories[m].height
  Size height = 0;            ///< the largest of `heights`
  /// Set if a bound proves that no placement exists: a sentence with the place and the reason.
  std::optional<std::string> infeasible;
};

/// require: validate(problem) is empty.
[[nodiscard]] Bounds lower_bounds(const PlacementProblem& problem, const BoundsParams& params = {});

/// The least height of memory m that is at least `height` and that a lowest placement can have: a
/// sum of sizes if only sizes matter, else `height` itself.
/// require: validate(problem) is empty.
[[nodiscard]] Size next_possible_height(const PlacementProblem& problem, MemoryIndex m,
                                        Size height);

/// If a placement of some height exists, one exists whose height is a multiple of this: sizes,
/// alignments and all named addresses are multiples.
[[nodiscard]] Size height_granule(const PlacementProblem& problem);

}  // namespace tessera::search
