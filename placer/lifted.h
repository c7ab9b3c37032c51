// Alignment counts from the base of a memory; engines, bounds and cuts count it from offset 0.
// Where that is not the same, they are asked about memories that begin a little lower, at a
// multiple of every alignment there: the bytes before the base are reserved, and all addresses move
// up.
//
//   if (const auto above = lifted(problem)) {                    // nothing: bases change nothing
//     PlacementResult result = ...;                              // heights count from above->by
//     lower(*above, result);                                     // offsets are the problem's again
//   }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::placer {

struct Lifted {
  PlacementProblem problem;  ///< the same question; its bases are 0
  std::vector<Size> by;      ///< per memory: how far every offset moved up
};

/// No single number says where a fixed offset or a window moves, if the buffer may choose between
/// memories that move by different distances. So the problem as several, in which each such buffer
/// has one memory; a placement of it is one of exactly one of them. Mostly it is one, the problem
/// itself, and so it is where there would be too many.
/// require: validate(problem) is empty.
[[nodiscard]] std::vector<PlacementProblem> tied(const PlacementProblem& problem);

/// Throws BadInput where a buffer may choose between memories that move by different distances and
/// has an address of its own to keep (an offset, a window); see tied().
/// require: validate(problem) is empty.
[[nodiscard]] std::optional<Lifted> lifted(const PlacementProblem& problem);

/// Offsets as the problem itself counts them.
void lower(const Lifted& above, PlacementResult& result);

/// Throws BadInput with the sentence that `what` does not know bases off the alignments.
void require_aligned_bases(const PlacementProblem& problem, const std::string& what);

}  // namespace tessera::placer
