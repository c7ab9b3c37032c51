// Results of tile searches, shared by machines that differ only in the cost of computation and
// transfers.
//
//   if (const auto known = memo.find(key)) found = recall(**known, ...);
//   else memo.keep(key, std::make_shared<const RememberedTile>(known_tile(found, fewest, most)));
//
// Whether a tile fits depends on the memories, on the memories that an engine reaches and on the
// rules between operands. Speeds do not matter. A search over hardware repeats the same queries for
// every clock, bandwidth and array size. Only shapes and addresses are stored; the placement
// problems are derived again. Private to planner/.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/shared_table.h"
#include "search/tiles/tile_search.h"

namespace tessera::planner {

/// A result of find_tile() that no time limit cut short.
struct RememberedTile {
  Status status = Status::unknown;
  bool cut = false;         ///< shapes with more than `most` tiles were skipped
  std::int64_t most = 0;    ///< valid if `cut`
  std::int64_t fewest = 1;  ///< shapes with fewer tiles were skipped
  tiling::TileShape shape;
  std::int64_t tiles = 0;  ///< of the shape
  std::vector<Placement> placements;
  std::vector<tiling::TileShape> undecided;
  bool given_up = false;  ///< all further shapes are undecided as well
  Size lacking = 0;
};

/// Keyed by the query.
using TileMemo = SharedTable<std::string, std::shared_ptr<const RememberedTile>>;

[[nodiscard]] std::int64_t tiles_of(const tiling::TileSpace& space, const tiling::TileShape& shape);

/// require: no limit ended the search. `most`: its limit on tiles if it was cut.
[[nodiscard]] RememberedTile known_tile(const search::TileSearchResult& found, std::int64_t fewest,
                                        std::int64_t most);

/// The result of a search from `fewest` to `most` tiles as far as it follows from `known`. The
/// caller adds grid, lowering and demands. Nothing if a search is necessary.
[[nodiscard]] std::optional<search::TileSearchResult> recall(const RememberedTile& known,
                                                             const tiling::TileSpace& space,
                                                             std::int64_t fewest,
                                                             std::int64_t most);

}  // namespace tessera::planner
