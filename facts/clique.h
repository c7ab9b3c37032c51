// Buffers no two of which may share a byte, as heavy as can be found.
//
//   for (const auto& clique : heavy_cliques(problem, m))          // of one memory
//     least = std::max(least, height_of(problem, m, clique));     // proved
//
// Where only time separates, what lives at one step is such a set and is found by adding up; this
// is for problems in which relations separate as well (conflicts.h).
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

/// Branch and bound: classes in which nobody conflicts bound what a clique can still gain. Ends
/// after about `most_work` words of bits, or with the budget, with the best it has; nodes that
/// weigh nothing are left out. require: a weight for each node, none negative, their sum at most
/// max_address.
[[nodiscard]] Clique heaviest_clique(const ConflictGraph& graph, std::span<const Size> weights,
                                     std::int64_t most_work, const Budget& budget = {});

/// For each of the few largest alignments, the heaviest clique of those that keep it, each rounded
/// up to it: different sets of buffers of memory m, ascending, heaviest of all first. The same
/// problem gives the same where the budget does not end it; none where nothing but time separates,
/// and of very many buffers.
[[nodiscard]] std::vector<std::vector<BufferIndex>> heavy_cliques(const PlacementProblem& problem,
                                                                  MemoryIndex m,
                                                                  const Budget& budget = {});

/// The least height of memory m that holds these buffers side by side: each but the highest of a
/// stretch of free addresses is rounded up to what all of their offsets are multiples of. More than
/// its capacity if they do not fit at all.
/// require: no two of them may share a byte, and all are tied to m.
[[nodiscard]] Size height_of(const PlacementProblem& problem, MemoryIndex m,
                             std::span<const BufferIndex> buffers);

/// Why no two of these may share a byte, in words: "3 live together at step 107, the input keeps
/// the others apart".
[[nodiscard]] std::string why_apart(const PlacementProblem& problem,
                                    std::span<const BufferIndex> buffers);

}  // namespace tessera::facts
