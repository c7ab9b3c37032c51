// The size layer of a problem: read it, and replace it.
//
//   SizeLayer layer = size_layer(problem);
//   layer.sizes[3] /= 2;
//   replace_sizes(problem, layer);
#pragma once

#include <vector>

#include "tessera/problem.h"

namespace tessera {

/// The numbers that a session may replace.
struct SizeLayer {
  std::vector<Size> sizes{};       ///< per buffer
  std::vector<Size> capacities{};  ///< per memory; memories with banks keep their banks
};

/// The current size layer.
[[nodiscard]] SizeLayer size_layer(const PlacementProblem& problem);

/// Memories with banks keep their capacity.
/// require: one size per buffer, one capacity per memory.
void replace_sizes(PlacementProblem& problem, const SizeLayer& layer);

}  // namespace tessera
