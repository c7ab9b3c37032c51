// Alignment counts from the base of a memory; engines, bounds and cuts count it from offset 0. If
// both differ, the lifted problem has memories that begin a little lower, at a multiple of every
// alignment: the bytes before the base are reserved, and all addresses are shifted up.
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
  PlacementProblem problem;  ///< the equivalent problem with bases of 0
  std::vector<Size> by;      ///< per memory: the shift of every offset
};

/// A fixed offset or a window has no single shift if the buffer may choose between memories that
/// shift by different distances. This splits the problem into one problem per choice of memory for
/// such buffers; a placement of the problem is a placement of exactly one of them. Usually the
/// result is the problem itself, also if there would be too many. require: validate(problem) is
/// empty.
[[nodiscard]] std::vector<PlacementProblem> tied(const PlacementProblem& problem);

/// Throws BadInput if a buffer with a fixed offset or a window may choose between memories that
/// shift by different distances; see tied(). require: validate(problem) is empty.
[[nodiscard]] std::optional<Lifted> lifted(const PlacementProblem& problem);

/// Converts offsets back to those of the problem.
void lower(const Lifted& above, PlacementResult& result);

/// Throws BadInput with the message that `what` does not support unaligned bases.
void require_aligned_bases(const PlacementProblem& problem, const std::string& what);

}  // namespace tessera::placer
