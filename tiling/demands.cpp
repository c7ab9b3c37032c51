// Buffer sizes to place for a grid of tiles: the sizes of each tile, without those that others
// cover.
#include <algorithm>
#include <functional>
#include <utility>

#include "tiling/lower.h"

namespace tessera::tiling {
namespace {

Size elements(const Subgraph& subgraph, const TileSpace& space, const LoweredBuffer& buffer,
              const TileRegions& tile) {
  const Box& needed = tile.needed[buffer.tensor];
  const Box& fresh = tile.fresh[buffer.tensor];
  const Dim brick = brick_of(subgraph, buffer.tensor);
  if (buffer.role == BufferRole::tile) return volume(fresh, brick);
  const std::vector<Dim>& shape = subgraph.tensor(buffer.tensor).shape;
  const std::optional<std::size_t> w =
      space.follows[static_cast<std::size_t>(TileAxis::width)][buffer.tensor];
  const std::optional<std::size_t> h =
      space.follows[static_cast<std::size_t>(TileAxis::height)][buffer.tensor];
  if (needed.none || tile.kept.empty()) return 0;
  const auto [rows, columns] = tile.kept[buffer.tensor];
  Box part = needed;
  if (buffer.role == BufferRole::columns) {
    if (h) part[*h].begin += rows;  // the rows above are in the rows buffer
    part[*w].end = part[*w].begin + columns;
  } else {
    if (w) part[*w] = {0, shape[*w]};
    part[*h].end = part[*h].begin + rows;
  }
  return volume(tiling::tidy(part), brick);
}

}  // namespace

std::vector<Size> tile_sizes(const Subgraph& subgraph, const TileSpace& space,
                             const Lowering& lowering, const TileRegions& tile) {
  std::vector<Size> sizes;
  sizes.reserve(lowering.buffers.size());
  for (const LoweredBuffer& buffer : lowering.buffers)
    sizes.push_back(buffer.every_tile > 0 ? buffer.every_tile
                                          : std::max<Size>(1, buffer.bytes.of(elements(
                                                                  subgraph, space, buffer, tile))));
  return sizes;
}

void tile_sizes(const Lowering& lowering, std::span<const std::int64_t> fresh_volumes,
                std::vector<Size>& sizes) {
  sizes.clear();
  for (const LoweredBuffer& buffer : lowering.buffers)
    sizes.push_back(buffer.every_tile > 0
                        ? buffer.every_tile
                        : std::max<Size>(1, buffer.bytes.of(fresh_volumes[buffer.tensor])));
}

bool covers(const std::vector<Size>& larger, const std::vector<Size>& smaller) {
  return std::ranges::equal(larger, smaller, std::greater_equal<>());
}

void add_demand(const Lowering& lowering, std::vector<Size> sizes,
                std::vector<std::vector<Size>>& kept) {
  if (lowering.across_tiles && !kept.empty()) {
    std::ranges::transform(kept[0], sizes, kept[0].begin(),
                           [](Size a, Size b) { return std::max(a, b); });
    return;
  }
  const auto covered = [&](const std::vector<Size>& other) { return covers(other, sizes); };
  if (std::ranges::any_of(kept, covered)) return;
  std::erase_if(kept, [&](const std::vector<Size>& other) { return covers(sizes, other); });
  kept.push_back(std::move(sizes));
}

std::vector<std::vector<Size>> demands(const Lowering& lowering,
                                       std::vector<std::vector<Size>> tiles) {
  std::vector<std::vector<Size>> kept;
  for (std::vector<Size>& sizes : tiles) add_demand(lowering, std::move(sizes), kept);
  return kept;
}

std::vector<std::vector<Size>> demands(const Subgraph& subgraph, const TileSpace& space,
                                       const Lowering& lowering,
                                       const std::vector<TileRegions>& tiles) {
  std::vector<std::vector<Size>> sizes;
  for (const TileRegions& tile : tiles)
    sizes.push_back(tile_sizes(subgraph, space, lowering, tile));
  return demands(lowering, std::move(sizes));
}

}  // namespace tessera::tiling
