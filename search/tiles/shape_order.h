// Tile shapes from few tiles to many, in groups with equal numbers of parts per axis.
//
//   ShapeGroups groups(space, 1);
//   while (std::optional<ShapeGroup> group = groups.next()) use(group->least, group->most);
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tiling/geometry.h"

namespace tessera::search {

/// Limits on the number of tiles of a grid.
struct TileCounts {
  std::int64_t fewest = 1;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// All shapes with these counts: the extents least[a] .. most[a] along axis a.
struct ShapeGroup {
  std::array<Dim, tiling::tile_axes> counts{1, 1, 1};
  std::array<Dim, tiling::tile_axes> least{1, 1, 1};
  std::array<Dim, tiling::tile_axes> most{1, 1, 1};

  [[nodiscard]] std::int64_t tiles() const { return counts[0] * counts[1] * counts[2]; }
  [[nodiscard]] tiling::TileShape smallest() const { return {least}; }
};

/// Is `small` no larger along any axis?
[[nodiscard]] bool inside(const tiling::TileShape& small, const tiling::TileShape& large);

/// Every shape of the space is in exactly one group. Order: fewest tiles, then fewest cuts along W,
/// then along C, then along H. Groups are generated on demand, because most searches end soon.
class ShapeGroups {
 public:
  /// Groups outside the limits are left out.
  ShapeGroups(const tiling::TileSpace& space, TileCounts tiles);

  /// Nothing after the last.
  [[nodiscard]] std::optional<ShapeGroup> next();
  /// Skips groups that differ from the last one only in more cuts along C. Stops at the first for
  /// which `refuted`, called with the least extent along C, is false. Returns the number of skipped
  /// groups.
  /// require: next() returned a group; `refuted` is false for all groups after the first false one.
  template <typename Refuted>
  std::size_t leave_out(const Refuted& refuted) {
    const std::vector<Cut>& cuts = cuts_[0];
    const std::size_t begin = last_->c + 1;
    if (begin == cuts.size()) return 0;
    std::size_t low = begin;
    std::size_t high = cuts.size();
    if (refuted(cuts.back().least))
      low = high;
    else
      --high;  // the last one is not refuted
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (refuted(cuts[middle].least))
        low = middle + 1;
      else
        high = middle;
    }
    last_->c = low - 1;
    return low - begin;
  }
  /// Are there groups above the tile limit?
  /// require: next() returned nothing.
  [[nodiscard]] bool cut() const { return !rows_.empty(); }

 private:
  struct Cut {
    Dim count = 1;
    Dim least = 1;
    Dim most = 1;
  };
  /// Groups with equal cuts along H and W, from the next cut along C on.
  struct Row {
    std::size_t c = 0;
    std::size_t h = 0;
    std::size_t w = 0;
  };
  [[nodiscard]] static std::vector<Cut> cuts_of(Dim whole, bool divisible);
  [[nodiscard]] std::int64_t tiles_of(const Row& row) const {
    return cuts_[0][row.c].count * cuts_[1][row.h].count * cuts_[2][row.w].count;
  }
  [[nodiscard]] bool later(const Row& a, const Row& b) const;
  void push(std::vector<Row>& rows, const Row& row) const;
  [[nodiscard]] Row pop(std::vector<Row>& rows) const;
  /// Opens the rows with this cut along H.
  /// require: all rows before are open.
  void open(std::size_t h);
  /// Opens rows until no unopened row comes before the first open one: two long axes have too many
  /// rows to open all.
  void open_up_to_the_first();

  std::array<std::vector<Cut>, tiling::tile_axes> cuts_;
  std::int64_t fewest_;
  std::int64_t most_;
  std::optional<Row> last_;  ///< of the last group
  // Heaps with the first in order at the front.
  std::vector<Row> rows_;
  std::vector<Row> unopened_;  ///< for each H up to opened_, the next row along W; c is 0
  std::size_t opened_ = 0;     ///< number of opened cuts along H
};

/// A cache of the first groups of a space in order, filled on demand: all machines and variants use
/// the same ones.
class KnownGroups {
 public:
  /// Limit on cached groups, which are stored as counts. Few searches go further, and a plan has
  /// thousands of spaces.
  static constexpr std::size_t most = 4096;

  explicit KnownGroups(const tiling::TileSpace& space) : space_(space), rest_(space, {}) {}
  [[nodiscard]] const tiling::TileSpace& space() const { return space_; }
  /// Nothing after the last cached one.
  [[nodiscard]] std::optional<ShapeGroup> at(std::size_t k);
  /// The index of the first group with at least this many tiles; `most` if no cached group has.
  [[nodiscard]] std::size_t first_with(std::int64_t tiles);

 private:
  tiling::TileSpace space_;
  ShapeGroups rest_;
  std::vector<std::array<Dim, tiling::tile_axes>> counts_;
};

/// The groups with at least this many tiles, in the order of ShapeGroups.
class GroupWalk {
 public:
  /// require: `known` outlives the walk.
  GroupWalk(KnownGroups& known, std::int64_t fewest)
      : known_(known), fewest_(fewest), next_(known.first_with(fewest)) {}
  /// Nothing after the last.
  [[nodiscard]] std::optional<ShapeGroup> next();
  /// The cache index of the group that next() returned; nothing if it is not cached.
  [[nodiscard]] std::optional<std::size_t> index() const {
    return beyond_ ? std::nullopt : std::optional(next_ - 1);
  }

 private:
  KnownGroups& known_;
  std::int64_t fewest_;
  std::size_t next_;
  std::optional<ShapeGroups> beyond_;  ///< groups after the cached ones
};

/// The load of the first tile of each group's smallest shape at its fullest step, by group index
/// (GroupWalk). For machines with one on-chip memory of any capacity.
struct FirstLoads {
  static constexpr Size unknown = -1;
  std::vector<Size> of_group;
};

}  // namespace tessera::search
