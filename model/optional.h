// Optional buffers: the units that are in or out together, and the problem without those left out.
//
//   const std::vector<OptionalUnit> units = optional_units(problem);
//   const Restricted in = chosen(problem, {2, 5});            // without buffers 2 and 5
//   Placement placed = place(in.problem, {}).placement;
//   Placement whole = spread(problem, in, {2, 5}, placed);
//
// Placement and checking work on a problem without optional buffers. Leaving out a buffer never
// adds a requirement (model/restricted.h): if a set of buffers has no placement, no larger set has
// one.
#pragma once

#include <span>
#include <vector>

#include "model/restricted.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera {

/// Optional buffers that are in or out together: a group, or a single buffer without a group.
struct OptionalUnit {
  std::vector<BufferIndex> buffers;  ///< ascending
  Benefit benefit = 0;
};

/// In the order of their first buffers.
[[nodiscard]] std::vector<OptionalUnit> optional_units(const PlacementProblem& problem);

/// The benefit of all optional buffers.
[[nodiscard]] Benefit whole_benefit(const PlacementProblem& problem);

/// require: `left_out` is ascending and unique, and all indices are valid.
/// ensure: the result has no optional buffers.
[[nodiscard]] Restricted chosen(const PlacementProblem& problem,
                                std::span<const BufferIndex> left_out);

[[nodiscard]] bool has_optional(const PlacementProblem& problem);

/// require: placement.left_out is ascending.
[[nodiscard]] bool is_left_out(const Placement& placement, BufferIndex buffer);

/// Converts a placement of the remaining buffers to one of the whole problem.
[[nodiscard]] Placement spread(const PlacementProblem& problem, const Restricted& in,
                               std::vector<BufferIndex> left_out, const Placement& placement);

/// The inverse of spread(): the places of the remaining buffers.
/// require: placement.places has one entry for each buffer of the whole problem.
[[nodiscard]] Placement gathered(const Restricted& in, const Placement& placement);

}  // namespace tessera
