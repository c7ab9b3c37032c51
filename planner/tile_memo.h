// What tile searches found, for machines that differ only in what computing and moving cost.
//
//   if (const auto known = memo.find(key)) found = recall(**known, ...);
//   else memo.keep(key, std::make_shared<const RememberedTile>(known_tile(found, fewest, most)));
//
// Whether a tile fits depends on the memories, on which of them an engine reaches and on the rules
// between operands; how fast anything is does not matter to it. A search over hardware asks the
// same questions for every clock, bandwidth and size of an array. What is kept is small: the shape
// and where its buffers lie, not the problems, which are derived again. Private to planner/.
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

/// An answer of find_tile() that no limit on time cut short.
struct RememberedTile {
  Status status = Status::unknown;
  bool cut = false;         ///< shapes with more than `most` tiles were not looked at
  std::int64_t most = 0;    ///< where it was cut
  std::int64_t fewest = 1;  ///< shapes with fewer tiles were not looked at
  tiling::TileShape shape;
  std::int64_t tiles = 0;  ///< of the shape
  std::vector<Placement> placements;
  std::vector<tiling::TileShape> undecided;
  bool given_up = false;  ///< and so are all behind these
  Size lacking = 0;
};

/// By the question.
using TileMemo = SharedTable<std::string, std::shared_ptr<const RememberedTile>>;

[[nodiscard]] std::int64_t tiles_of(const tiling::TileSpace& space, const tiling::TileShape& shape);

/// require: the search ended by itself. `most`: its limit, where it was cut.
[[nodiscard]] RememberedTile known_tile(const search::TileSearchResult& found, std::int64_t fewest,
                                        std::int64_t most);

/// What a search from `fewest` to `most` tiles would say, as far as it is known: grid, lowering and
/// demands are left to the caller. Nothing where there is more to look for.
[[nodiscard]] std::optional<search::TileSearchResult> recall(const RememberedTile& known,
                                                             const tiling::TileSpace& space,
                                                             std::int64_t fewest,
                                                             std::int64_t most);

}  // namespace tessera::planner
