// Buffers that may stay out: what belongs together, and the problem of those that are in.
//
//   const std::vector<OptionalUnit> units = optional_units(problem);   // each is in, or out
//   const Restricted in = chosen(problem, {2, 5});                         // without buffers 2 and
//   5 Placement whole = spread(problem, in, {2, 5}, place(in.problem, {}).placement);
//
// Who places and who checks sees a problem in which nothing is optional. Leaving a buffer out never
// asks for more (model/restricted.h): what has no placement has none with more buffers.
#pragma once

#include <span>
#include <vector>

#include "model/restricted.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera {

/// Optional buffers that stay or go together: those of one group, or one that is in none.
struct OptionalUnit {
  std::vector<BufferIndex> buffers;  ///< ascending
  Benefit benefit = 0;
};

/// In the order of their first buffers.
[[nodiscard]] std::vector<OptionalUnit> optional_units(const PlacementProblem& problem);

/// Of all that is optional.
[[nodiscard]] Benefit whole_benefit(const PlacementProblem& problem);

/// require: `left_out` is ascending, each once, and of buffers that there are.
/// ensure: nothing in it is optional.
[[nodiscard]] Restricted chosen(const PlacementProblem& problem,
                                std::span<const BufferIndex> left_out);

[[nodiscard]] bool has_optional(const PlacementProblem& problem);

/// require: placement.left_out is ascending.
[[nodiscard]] bool is_left_out(const Placement& placement, BufferIndex buffer);

/// The placement of those that are in as one of the whole problem.
[[nodiscard]] Placement spread(const PlacementProblem& problem, const Restricted& in,
                               std::vector<BufferIndex> left_out, const Placement& placement);

/// The part of a placement that is about those that are in.
/// require: placement.places has one for each buffer of the problem `in` came from.
[[nodiscard]] Placement gathered(const Restricted& in, const Placement& placement);

}  // namespace tessera
