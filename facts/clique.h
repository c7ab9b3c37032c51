// Heavy sets of buffers of which no two may share a byte.
//
//   for (const auto& clique : heavy_cliques(problem, m))          // of one memory
//     least = std::max(least, height_of(problem, m, clique));     // proved
//
// If only lifetimes separate buffers, the set live at one step is such a clique, and a sum finds
// the heaviest. These functions are for problems in which relations separate buffers too
// (conflicts.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "facts/conflicts.h"
#include "model/budget.h"
#include "tessera/problem.h"

namespace tessera::facts {

struct Clique {
  std::vector<std::size_t> nodes;  ///< ascending
  Size weight = 0;
  bool heaviest = false;  ///< proved: no clique weighs more
};

/// Branch and bound: colour classes without conflicts bound the weight that a clique can still
/// gain. Ends after about `most_work` words of bits or with the budget, and returns the best clique
/// so far. Nodes of weight 0 are ignored.
/// require: a weight per node, none negative, their sum at most max_address.
[[nodiscard]] Clique heaviest_clique(const ConflictGraph& graph, std::span<const Size> weights,
                                     std::int64_t most_work, const Budget& budget = {});

/// Cliques of memory m: for each of the few largest alignments, the heaviest clique of the buffers
/// with that alignment, with sizes rounded up to it. Each is ascending, and the heaviest comes
/// first. Deterministic unless the budget ends it. Empty if only lifetimes separate buffers, and
/// for very many buffers.
[[nodiscard]] std::vector<std::vector<BufferIndex>> heavy_cliques(const PlacementProblem& problem,
                                                                  MemoryIndex m,
                                                                  const Budget& budget = {});

/// The least height of memory m that holds these buffers disjointly. Sizes are rounded up to the
/// common alignment, except for the top buffer of each range of free addresses. The result exceeds
/// the capacity if they do not fit.
/// require: no two of them may share a byte, and all are restricted to m.
[[nodiscard]] Size height_of(const PlacementProblem& problem, MemoryIndex m,
                             std::span<const BufferIndex> buffers);

/// Why no two of these may share a byte, as text: "3 live together at step 107, the input keeps the
/// others apart".
[[nodiscard]] std::string why_apart(const PlacementProblem& problem,
                                    std::span<const BufferIndex> buffers);

}  // namespace tessera::facts
