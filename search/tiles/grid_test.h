// Does any tile of a grid refute its shape, by what is known without an engine?
//
//   GridTest test(geometry, lowering, decider.refuter());
//   std::vector<std::vector<Size>> demands;
//   if (!test.refute(shape, demands)) ask(demands);
//
// Each thread has one of its own, with its own geometry. Private to search/tiles/.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "search/tiles/decider.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"

namespace tessera::search {

class GridTest {
 public:
  /// require: all that is referred to outlives it.
  GridTest(tiling::TileGeometry& geometry, const tiling::Lowering& lowering, Refuter& refuter)
      : geometry_(geometry), lowering_(lowering), refuter_(refuter) {}

  /// By some tile of its grid; else `demands` is set.
  [[nodiscard]] std::optional<DecidedBy> refute(const tiling::TileShape& shape,
                                                std::vector<std::vector<Size>>& demands);

  /// Of a tile; they hold until the next call of this or of refute().
  [[nodiscard]] const std::vector<Size>& sizes_of(std::span<const std::int64_t> volumes);
  [[nodiscard]] const std::vector<Size>& sizes_of(const tiling::TileRegions& tile);

 private:
  tiling::TileGeometry& geometry_;
  const tiling::Lowering& lowering_;
  Refuter& refuter_;
  tiling::TileGeometry::Classes refuting_{};  ///< of the tile that refuted the last shape
  // Working memory.
  std::vector<std::vector<std::int64_t>> all_volumes_;
  std::vector<Size> sizes_;
};

}  // namespace tessera::search
