// Who must not share a byte with whom, whatever is chosen.
//
//   ConflictGraph graph(problem, {m});
//   if (graph.conflict(i, j)) ...                   // nodes i and j, graph.buffer(i) and (j)
//   std::string why = reason(problem, a, b);        // "live together at step 7", or empty
//
// Living together at some step is one reason. Relations are others (disjoint, adjacent,
// different_banks, different_memories), and so are places that never meet: windows, fixed offsets.
// What holds of a buffer holds of those that lie at its offset (same_offset) and are no larger.
// Where nothing but time separates buffers that live once, the sets in which everybody conflicts
// are those alive at one step, and nobody needs this graph: see separates().
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/problem.h"

namespace tessera::facts {

/// Does anything but living at one step decide who conflicts?
[[nodiscard]] bool separates(const PlacementProblem& problem);

class ConflictGraph {
 public:
  /// Of the buffers without parts that may go to these memories only; of more than `most` buffers,
  /// those that relations name come first, then the largest. require: `memories` is sorted.
  ConflictGraph(const PlacementProblem& problem, const std::vector<MemoryIndex>& memories,
                std::size_t most);

  [[nodiscard]] std::size_t size() const { return nodes_; }
  [[nodiscard]] BufferIndex buffer(std::size_t node) const { return buffers_[node]; }
  [[nodiscard]] bool conflict(std::size_t one, std::size_t two) const {
    return (row(one)[two / 64] >> (two % 64) & 1) != 0;
  }
  /// One bit for each node.
  [[nodiscard]] std::span<const std::uint64_t> row(std::size_t node) const {
    return {bits_.data() + node * words_, words_};
  }
  [[nodiscard]] std::size_t words() const { return words_; }

 private:
  void choose(const PlacementProblem& problem, const std::vector<MemoryIndex>& memories,
              std::size_t most);
  void connect(const PlacementProblem& problem);
  void join(std::size_t one, std::size_t two);
  void hand_down(const PlacementProblem& problem);
  void keep_nodes();

  std::vector<BufferIndex> buffers_;  ///< the nodes; at first also those at the offset of one
  std::size_t nodes_ = 0;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<BufferIndex> class_of_;  ///< by buffer: one of those at its offset
};

/// Every two nodes that may share a byte and pay where they do, with what one relation says that
/// they pay: a pair comes as often as relations name it.
void for_each_paying_pair(
    const PlacementProblem& problem, const ConflictGraph& graph,
    const std::function<void(std::size_t one, std::size_t two, Cost cost)>& see);

/// The steps at which all of a buffer is occupied.
[[nodiscard]] std::vector<StepRange> whole_life(const Buffer& buffer);

/// Why two buffers never share a byte, in a few words: "live together at step 7", "adjacent"; empty
/// where nothing is known to keep them apart.
[[nodiscard]] std::string reason(const PlacementProblem& problem, BufferIndex a, BufferIndex b);

}  // namespace tessera::facts
