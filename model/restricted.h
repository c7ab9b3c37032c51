// A problem restricted to some of its buffers.
//
//   const Restricted part = restricted(problem, {1, 4, 5});
//   part.problem.buffers[0];                                  // buffer 1 of the whole
//   part.originals[0] == 1;
//
// A relation is restricted to the remaining buffers (`adjacent`: to those that are next to each
// other in it), so a restriction never adds a requirement.
#pragma once

#include <span>
#include <vector>

#include "tessera/problem.h"

namespace tessera {

struct Restricted {
  PlacementProblem problem;
  std::vector<BufferIndex> originals;  ///< per buffer, its index in the whole problem
  std::vector<std::size_t> relations;  ///< per relation, its index in the whole problem
  std::vector<std::size_t> rules;      ///< likewise
};

/// The problem with these buffers in this order, and the relations among them.
/// require: `buffers` has no duplicates, and all indices are valid.
[[nodiscard]] Restricted restricted(const PlacementProblem& problem,
                                    std::span<const BufferIndex> buffers);

}  // namespace tessera
