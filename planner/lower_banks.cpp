#include "planner/lower_banks.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "model/claim_problem.h"

namespace tessera::planner {
namespace {

/// Divisor of the nodes of a query: hard cases rarely pay off.
constexpr std::int64_t share_of_nodes = 20;

/// Maximum end address of the buffers in a memory.
Size height_of(const search::TileSearchResult& found, MemoryIndex memory) {
  Size height = 0;
  for (std::size_t k = 0; k < found.placements.size(); ++k)
    for (BufferIndex b = 0; b < found.placements[k].places.size(); ++b)
      if (const BufferPlace& place = found.placements[k].places[b]; place.memory == memory)
        height = std::max(height, place.offset + found.demands[k][b]);
  return height;
}

/// Ends of banks below a height, ascending.
std::vector<Size> ends_below(const Memory& memory, Size height) {
  std::vector<Size> ends;
  Size end = 0;
  for (const Bank& bank : memory.banks)
    if ((end += bank.size) < height) ends.push_back(end);
  return ends;
}

}  // namespace

void place_low(search::TileSearchResult& found, tiling::TileGeometry& geometry,
               const Hardware& hardware, const search::TileSearchParams& asked) {
  Hardware within = hardware;
  MemoryIndex index = 0;
  for (HardwareMemory& memory : within.memories) {
    if (memory.offchip) continue;
    const MemoryIndex mine = index++;
    if (memory.space.modes.empty()) continue;
    std::vector<Size> ends = ends_below(memory.space, height_of(found, mine));
    const Memory whole = memory.space;
    while (!ends.empty() && !asked.budget.exhausted()) {
      const std::size_t middle = ends.size() / 2;
      memory.space = whole;
      limit_height(memory.space, ends[middle]);
      search::TileSearchParams lower = asked;
      lower.nodes_per_question =
          std::max<std::int64_t>(1, asked.nodes_per_question / share_of_nodes);
      search::TileSearchResult again = search::find_tile(geometry, within, lower);
      if (again.status == Status::feasible) {
        found.placements = std::move(again.placements);
        ends.resize(middle);
        std::erase_if(ends, [height = height_of(found, mine)](Size end) { return end >= height; });
      } else {
        ends.erase(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(middle) + 1);
      }
    }
    // Lower the next memory with this one at its final height.
    memory.space = whole;
    limit_height(memory.space, std::max<Size>(1, height_of(found, mine)));
  }
}

}  // namespace tessera::planner
