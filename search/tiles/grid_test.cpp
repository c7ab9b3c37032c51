#include "search/tiles/grid_test.h"

#include <algorithm>

namespace tessera::search {

std::optional<DecidedBy> GridTest::refute(const tiling::TileShape& shape,
                                          std::vector<std::vector<Size>>& demands) {
  using Found = tiling::TileGeometry::Found;
  const Found found = geometry_.largest_volumes(shape, /*first_channel=*/false, all_volumes_);
  if (found == Found::none) {
    const tiling::TileRegions middle = geometry_.middle_tile(shape, /*first_channel=*/false);
    if (const auto by = refuter_.refuted_cheaply(sizes_of(middle))) return by;
  } else {
    std::vector<std::vector<Size>> tiles;
    for (const std::vector<std::int64_t>& volumes : all_volumes_)
      tiles.push_back(sizes_of(volumes));
    demands = tiling::demands(lowering_, std::move(tiles));
    for (const std::vector<Size>& sizes : demands)
      if (const auto by = refuter_.refuted_cheaply(sizes)) return by;
    if (found == Found::all) return std::nullopt;
  }
  demands.clear();
  // Most shapes are refuted by a tile at the position of the last refuting tile.
  const tiling::TileGeometry::Classes counts = geometry_.class_counts(shape);
  tiling::TileGeometry::Classes like = refuting_;
  for (std::size_t a = 0; a < tiling::tile_axes; ++a) like[a] = std::min(like[a], counts[a] - 1);
  std::optional<DecidedBy> by = refuter_.refuted_cheaply(sizes_of(geometry_.tile_of(shape, like)));
  if (by) return by;
  std::size_t number = 0;
  geometry_.for_each_tile(shape, [&](const tiling::TileRegions& tile) {
    by = refuter_.refuted_cheaply(sizes_of(tile));
    if (!by) {
      tiling::add_demand(lowering_, sizes_, demands);
      ++number;
    }
    return !by;
  });
  if (by)
    refuting_ = {number / (counts[1] * counts[2]), number / counts[2] % counts[1],
                 number % counts[2]};
  // Buffers that live across tiles have one demand for all tiles.
  return by || !lowering_.across_tiles ? by : refuter_.refuted_cheaply(demands.front());
}

const std::vector<Size>& GridTest::sizes_of(std::span<const std::int64_t> volumes) {
  tiling::tile_sizes(lowering_, volumes, sizes_);
  return sizes_;
}

const std::vector<Size>& GridTest::sizes_of(const tiling::TileRegions& tile) {
  sizes_ = tiling::tile_sizes(geometry_.subgraph(), geometry_.space(), lowering_, tile);
  return sizes_;
}

}  // namespace tessera::search
