// One step of a schedule on the tile machine, simulated tile by tile and literally: rectangles of
// tensors that are needed, moved and stored. The checker uses it; the search has its own prices.
//
//   TileStepResult result = run_tile_step({graph, links, reading, step, resident, inner});
//   if (!result.wrong.empty()) throw BadInput(result.wrong);
#pragma once

#include <string>
#include <vector>

#include "tessera/tile_graph.h"

namespace tessera {

/// Producers and consumers of the tensors of a graph.
struct TileLinks {
  explicit TileLinks(const TileGraph& graph);
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> producer;                ///< `none`: an input of the graph
  std::vector<std::vector<std::size_t>> consumers;  ///< per tensor
};

struct TileStepInput {
  const TileGraph& graph;
  const TileLinks& links;
  TileReading reading;
  const TileStep& step;
  const std::vector<std::size_t>& resident;  ///< tensors in fast memory when the step begins
  /// Tensors that the step makes and reads, and that a later step reads from outside.
  const std::vector<std::size_t>& inner_outputs;
};

struct TileStepResult {
  std::string wrong{};  ///< a sentence; empty: valid
  double latency = 0;
  std::int64_t peak = 0;
  std::int64_t moved = 0;
  std::vector<std::size_t> outputs{};  ///< sorted
};

/// require: the ops are in range, without repetition, and make the retained tensors.
[[nodiscard]] TileStepResult run_tile_step(const TileStepInput& input);

}  // namespace tessera
