#include "cost/computing.h"

#include <optional>
#include <vector>

#include "cost/compute.h"
#include "cost/group_parts.h"

namespace tessera::cost {

Computing computing(const tiling::Subgraph& part, const tiling::TileRegions& tile, Step trailing,
                    const Hardware& hardware, ArrayMemo* memo) {
  Computing all;
  const auto steps = static_cast<Step>(part.steps());
  for (Step step = 0; step < steps; ++step) {
    const std::optional<std::vector<Dim>> made = computed_extents(part, tile, step);
    if (!made) continue;
    const ComputeCost op = compute_cost(*part.network, part.op(step), *made, hardware, memo);
    (step >= steps - trailing ? all.trailing : all.leading) += static_cast<double>(op.cycles);
  }
  return all;
}

}  // namespace tessera::cost
