// Buffers that may stay out: what belongs together, and the problem of those that are in.
//
//   const std::vector<OptionalUnit> units = optional_units(problem);   // each is in, or out
//   const Chosen in = chosen(problem, {2, 5});                         // without buffers 2 and 5
//   Placement whole = spread(problem, in, {2, 5}, place(in.problem, {}).placement);
//
// Who places and who checks sees a problem in which nothing is optional. A relation is then one
// about those of its buffers that are in (`adjacent`: two of them that stand side by side in it),
// so that leaving a buffer out never asks for more: what has no placement has none with more
// buffers.
#pragma once

#include <span>
#include <vector>

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

struct Chosen {
  PlacementProblem problem;            ///< nothing in it is optional
  std::vector<BufferIndex> originals;  ///< of each of its buffers, in the problem it came from
  std::vector<std::size_t> relations;  ///< of each of its relations, likewise
};

/// require: `left_out` is ascending, each once, and of buffers that there are.
[[nodiscard]] Chosen chosen(const PlacementProblem& problem, std::span<const BufferIndex> left_out);

/// The placement of those that are in as one of the whole problem.
[[nodiscard]] Placement spread(const PlacementProblem& problem, const Chosen& in,
                               std::vector<BufferIndex> left_out, const Placement& placement);

/// The part of a placement that is about those that are in.
/// require: placement.places has one for each buffer of the problem `in` came from.
[[nodiscard]] Placement gathered(const Chosen& in, const Placement& placement);

}  // namespace tessera
