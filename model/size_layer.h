// The size layer of a problem: reading it off, and putting another one in.
//
//   SizeLayer layer = size_layer(problem);
//   layer.sizes[3] /= 2;
//   replace_sizes(problem, layer);
#pragma once

#include <vector>

#include "tessera/problem.h"

namespace tessera {

/// The size layer: the only numbers a session can replace.
struct SizeLayer {
  std::vector<Size> sizes{};       ///< per buffer
  std::vector<Size> capacities{};  ///< per memory; memories with banks keep their banks
};

/// The numbers a problem has now.
[[nodiscard]] SizeLayer size_layer(const PlacementProblem& problem);

/// Memories with banks keep their capacity.
/// require: one size per buffer, one capacity per memory.
void replace_sizes(PlacementProblem& problem, const SizeLayer& layer);

}  // namespace tessera
