// Which buffers must not share a byte in any placement.
//
//   ConflictGraph graph(problem, {m});
//   if (graph.conflict(i, j)) ...                   // nodes i and j, graph.buffer(i) and (j)
//   std::string why = reason(problem, a, b);        // "live together at step 7", or empty
//
// Two buffers conflict if they are live at the same step. Relations also cause conflicts (disjoint,
// adjacent, different_banks, different_memories), and so do disjoint address ranges (windows, fixed
// offsets). A buffer's conflicts extend to buffers at the same offset (same_offset) that are not
// larger. If only lifetimes separate buffers and each has one live interval, cliques are the sets
// live at one step, and this graph is not needed: see separates().
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/problem.h"

namespace tessera::facts {

/// Does anything other than lifetimes decide which buffers conflict?
[[nodiscard]] bool separates(const PlacementProblem& problem);

class ConflictGraph {
 public:
  /// The graph of the buffers without parts that may only use these memories. If there are more
  /// than `most`, buffers named by relations are taken first, then the largest.
  /// require: `memories` is sorted.
  ConflictGraph(const PlacementProblem& problem, const std::vector<MemoryIndex>& memories,
                std::size_t most);

  [[nodiscard]] std::size_t size() const { return nodes_; }
  [[nodiscard]] BufferIndex buffer(std::size_t node) const { return buffers_[node]; }
  [[nodiscard]] bool conflict(std::size_t one, std::size_t two) const {
    return (row(one)[two / 64] >> (two % 64) & 1) != 0;
  }
  /// One bit per node.
  [[nodiscard]] std::span<const std::uint64_t> row(std::size_t node) const {
    return {bits_.data() + node * words_, words_};
  }
  [[nodiscard]] std::size_t words() const { return words_; }

 private:
  void choose(const PlacementProblem& problem, const std::vector<MemoryIndex>& memories,
              std::size_t most);
  void connect(const PlacementProblem& problem);
  void join(std::size_t one, std::size_t two);
  void inherit_conflicts(const PlacementProblem& problem);
  void keep_nodes();

  std::vector<BufferIndex> buffers_;  ///< nodes; while building also buffers at their offsets
  std::size_t nodes_ = 0;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<BufferIndex> class_of_;  ///< per buffer, the representative of those at its offset
};

/// Calls see() for every two nodes that may overlap at a cost: once for each relation that names
/// the pair, with its cost.
void for_each_paying_pair(
    const PlacementProblem& problem, const ConflictGraph& graph,
    const std::function<void(std::size_t one, std::size_t two, Cost cost)>& see);

/// The steps at which the whole buffer is occupied.
[[nodiscard]] std::vector<StepRange> whole_life(const Buffer& buffer);

/// Why two buffers never share an address, in a few words: "live together at step 7", "adjacent".
/// Empty if no reason is known.
[[nodiscard]] std::string reason(const PlacementProblem& problem, BufferIndex a, BufferIndex b);

}  // namespace tessera::facts
