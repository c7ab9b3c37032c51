#include "planner/tile_memo.h"

#include <algorithm>
#include <limits>

namespace tessera::planner {

namespace {

std::vector<tiling::TileShape> undecided_between(const RememberedTile& known,
                                                 const tiling::TileSpace& space,
                                                 std::int64_t fewest, std::int64_t most) {
  std::vector<tiling::TileShape> list;
  for (const tiling::TileShape& shape : known.undecided) {
    const std::int64_t tiles = tiles_of(space, shape);
    if (tiles >= fewest && tiles <= most) list.push_back(shape);
  }
  return list;
}

/// The result of a search that begins at `fewest` tiles and is cut at `most`.
search::TileSearchResult cut_at(const RememberedTile& known, const tiling::TileSpace& space,
                                std::int64_t fewest, std::int64_t most) {
  search::TileSearchResult found;
  found.status = Status::unknown;
  found.stop = StopReason::node_limit;
  found.cut = true;
  found.undecided = undecided_between(known, space, fewest, most);
  return found;
}

}  // namespace

std::int64_t tiles_of(const tiling::TileSpace& space, const tiling::TileShape& shape) {
  std::int64_t tiles = 1;
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
    tiles *= (space.whole.extent[axis] + shape.extent[axis] - 1) / shape.extent[axis];
  return tiles;
}

RememberedTile known_tile(const search::TileSearchResult& found, std::int64_t fewest,
                          std::int64_t most) {
  RememberedTile known;
  known.status = found.status;
  known.cut = found.cut;
  known.most = found.cut ? most : 0;
  known.fewest = fewest;
  if (found.status == Status::feasible) {
    known.shape = found.shape;
    known.tiles = found.grid.count();
    known.placements = found.placements;
  }
  known.undecided = found.undecided;
  known.given_up = found.given_up;
  known.lacking = found.lacking;
  return known;
}

std::optional<search::TileSearchResult> recall(const RememberedTile& known,
                                               const tiling::TileSpace& space, std::int64_t fewest,
                                               std::int64_t most) {
  if (known.fewest > fewest) return std::nullopt;
  if (known.status == Status::feasible) {
    if (known.tiles > most) return cut_at(known, space, fewest, most);
    if (known.tiles < fewest) return std::nullopt;
  } else if (known.cut) {
    if (most > known.most) return std::nullopt;
    return cut_at(known, space, fewest, most);
  }
  search::TileSearchResult found;
  found.status = known.status;
  found.stop = known.status == Status::unknown ? StopReason::node_limit : StopReason::completed;
  found.shape = known.shape;
  found.placements = known.placements;
  found.undecided =
      undecided_between(known, space, fewest, std::numeric_limits<std::int64_t>::max());
  found.given_up = known.given_up;
  found.lacking = known.lacking;
  return found;
}

}  // namespace tessera::planner
