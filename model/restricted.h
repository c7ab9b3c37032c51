// Some of a problem's buffers as a problem of their own.
//
//   const Restricted part = restricted(problem, {1, 4, 5});
//   part.problem.buffers[0];                                  // buffer 1 of the whole
//   part.originals[0] == 1;
//
// A relation becomes one about those of its buffers that are in (`adjacent`: those that stand side
// by side in it), so that fewer buffers never ask for more.
#pragma once

#include <span>
#include <vector>

#include "tessera/problem.h"

namespace tessera {

struct Restricted {
  PlacementProblem problem;
  std::vector<BufferIndex> originals;  ///< of each of its buffers, in the problem it came from
  std::vector<std::size_t> relations;  ///< of each of its relations, likewise
};

/// The problem with these buffers only, in this order, and what relations say of them.
/// require: `buffers` names each once, and only such that there are.
[[nodiscard]] Restricted restricted(const PlacementProblem& problem,
                                    std::span<const BufferIndex> buffers);

}  // namespace tessera
