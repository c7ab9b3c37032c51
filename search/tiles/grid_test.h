// Tests without an engine whether some tile of a grid refutes its shape.
//
//   GridTest test(geometry, lowering, decider.refuter());
//   std::vector<std::vector<Size>> demands;
//   if (!test.refute(shape, demands)) ask(demands);
//
// Each thread has its own, with its own geometry. Private to search/tiles/.
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
  /// require: all arguments outlive it.
  GridTest(tiling::TileGeometry& geometry, const tiling::Lowering& lowering, Refuter& refuter)
      : geometry_(geometry), lowering_(lowering), refuter_(refuter) {}

  /// The rule by which some tile of the grid refutes the shape; else sets `demands`.
  [[nodiscard]] std::optional<DecidedBy> refute(const tiling::TileShape& shape,
                                                std::vector<std::vector<Size>>& demands);

  /// The sizes of a tile; valid until the next call of this or of refute().
  [[nodiscard]] const std::vector<Size>& sizes_of(std::span<const std::int64_t> volumes);
  [[nodiscard]] const std::vector<Size>& sizes_of(const tiling::TileRegions& tile);

 private:
  tiling::TileGeometry& geometry_;
  const tiling::Lowering& lowering_;
  Refuter& refuter_;
  tiling::TileGeometry::Classes refuting_{};  ///< of the tile that refuted the last shape
  // Reused memory.
  std::vector<std::vector<std::int64_t>> all_volumes_;
  std::vector<Size> sizes_;
};

}  // namespace tessera::search
