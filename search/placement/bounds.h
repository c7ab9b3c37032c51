// How high must a placement be at least? Proved, and cheap next to a search.
//
//   Bounds bounds = lower_bounds(problem, {});
//   if (bounds.infeasible) report(*bounds.infeasible);        // a proof: no placement exists
//   Size least = bounds.heights[memory];                      // <= height of every placement
//
// The plain bound is the largest load of a step; it is strengthened by alignment, fixed offsets,
// windows and reserved ranges (where must the buffers of one step at least end?) and by the
// sums that the sizes can form; where relations keep buffers apart, by sets no two of which may
// share a byte, whenever they live. Buffers that may go to several memories count for none of them,
// but for the sum of all capacities.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "tessera/problem.h"

namespace tessera::search {

struct BoundsParams {
  /// Of many buffers, and by the slower bounds of any; a bound that it ends is 0.
  Budget budget{};
  bool domains = true;      ///< use windows, fixed offsets, reserved ranges and alignment
  bool subset_sums = true;  ///< round up to a height that sizes can form
};

struct MemoryBound {
  Size load = 0;    ///< the largest sum of sizes live at one step
  Size height = 0;  ///< proved: no placement of this memory's buffers is lower; >= load
  Step peak = 0;    ///< a step at which `load` is reached
  std::vector<BufferIndex> live_at_peak;
  /// Buffers no two of which may share a byte, where they, and not those of one step, give
  /// `height`.
  std::vector<BufferIndex> clique;
};

struct Bounds {
  std::vector<MemoryBound> memories;
  std::vector<Size> heights;  ///< memories[m].height, for convenience
  Size height = 0;            ///< the largest of `heights`
  /// Set if a bound alone shows that no placement exists: the sentence says where and why.
  std::optional<std::string> infeasible;
};

/// require: validate(problem) is empty.
[[nodiscard]] Bounds lower_bounds(const PlacementProblem& problem, const BoundsParams& params = {});

/// The least height of memory m that is at least `height` and that a lowest placement can have:
/// a sum of sizes where nothing but sizes decides, else `height` itself.
/// require: validate(problem) is empty.
[[nodiscard]] Size next_possible_height(const PlacementProblem& problem, MemoryIndex m,
                                        Size height);

/// Where there is a placement of some height there is one whose height is a multiple of this:
/// sizes, alignments and every address the problem names are.
[[nodiscard]] Size height_granule(const PlacementProblem& problem);

}  // namespace tessera::search
