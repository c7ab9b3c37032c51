// What tile searches found, for machines that differ only in what computing and moving cost.
//
//   if (const auto known = memo.find(key)) found = recall(*known, ...);
//   else memo.keep(key, known_tile(found, fewest, most));
//
// Whether a tile fits depends on the memories, on which of them an engine reaches and on the rules
// between operands; how fast anything is does not matter to it. A search over hardware asks the
// same questions for every clock, bandwidth and size of an array. What is kept is small: the shape
// and where its buffers lie, not the problems, which are derived again. Private to planner/.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

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
  Size lacking = 0;
  Size least_excess = 0;
};

/// Thread-safe.
class TileMemo {
 public:
  using Entry = std::shared_ptr<const RememberedTile>;
  /// Null: nothing is known.
  [[nodiscard]] Entry find(const std::string& key) const {
    const std::lock_guard guard(lock_);
    const auto known = known_.find(key);
    return known == known_.end() ? nullptr : known->second;
  }
  /// Takes the place of what is known.
  void keep(const std::string& key, RememberedTile known) {
    auto entry = std::make_shared<const RememberedTile>(std::move(known));
    const std::lock_guard guard(lock_);
    known_[key] = std::move(entry);
  }
  void clear() {
    const std::lock_guard guard(lock_);
    known_.clear();
  }

 private:
  mutable std::mutex lock_;
  std::unordered_map<std::string, Entry> known_;
};

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
