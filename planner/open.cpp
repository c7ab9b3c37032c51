#include "planner/open.h"

#include <algorithm>

#include "cost/group_parts.h"
#include "model/derived.h"

namespace tessera::planner {
namespace {}  // namespace

Hardware cheapest_on_chip(const Hardware& hardware) {
  Hardware cheap = hardware;
  const AccessEnergy least = cost::cheapest_access(hardware);
  // The memory of a buffer is undecided if there are several.
  const bool several = std::ranges::count(hardware.memories, false, &HardwareMemory::offchip) > 1;
  for (HardwareMemory& memory : cheap.memories) {
    if (memory.offchip) continue;
    memory.energy = least;
    if (several) memory.bandwidth.reset();
  }
  return cheap;
}

KnownCost cost_anywhere(const tiling::Subgraph& part, const tiling::TileGrid& grid,
                        const tiling::Lowering& lowering, const Hardware& hardware,
                        cost::ArrayMemo& arrays, Poll& poll) {
  // Offsets do not affect the simulation. Modes do; without modes, switches cost least.
  PlannedPlacement anywhere;
  anywhere.placement.places.resize(lowering.buffers.size());
  cost::TiledGroup run{.subgraph = &part,
                       .grid = &grid,
                       .lowering = &lowering,
                       .hardware = &hardware,
                       .placements = {&anywhere},
                       .memo = &arrays,
                       .poll = &poll};
  const cost::GroupCost cost = cost::group_cost(run);
  KnownCost found{.metrics = cost.metrics, .utilisation = cost.utilisation};
  found.metrics.peak_bytes = 0;
  return found;
}

Size peak_load(const tiling::Lowering& lowering, const std::vector<std::vector<Size>>& demands) {
  const std::vector<Buffer>& buffers = lowering.problem.buffers;
  Size peak = 0;
  for (Step step = 0; step < horizon(lowering.problem); ++step)
    for (const std::vector<Size>& sizes : demands) {
      Size load = 0;
      for (std::size_t b = 0; b < buffers.size(); ++b)
        if (live_at(buffers[b], step)) load += sizes[b];
      peak = std::max(peak, load);
    }
  return peak;
}

Metrics least_metrics(const Piece& piece, const Hardware& hardware, cost::ArrayMemo& arrays,
                      Poll& poll) {
  Metrics metrics =
      cost_anywhere(piece.part, piece.grid, piece.lowering, hardware, arrays, poll).metrics;
  metrics.peak_bytes = peak_load(piece.lowering, piece.demands);
  metrics.peak_bandwidth = 0;
  return metrics;
}

}  // namespace tessera::planner
