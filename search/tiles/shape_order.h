// Tile shapes from few tiles to many, in groups that cut each axis into equally many parts.
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

/// How many tiles a grid may have.
struct TileCounts {
  std::int64_t fewest = 1;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// All shapes with these counts: along axis a the extents least[a] .. most[a].
struct ShapeGroup {
  std::array<Dim, tiling::tile_axes> counts{1, 1, 1};
  std::array<Dim, tiling::tile_axes> least{1, 1, 1};
  std::array<Dim, tiling::tile_axes> most{1, 1, 1};

  [[nodiscard]] std::int64_t tiles() const { return counts[0] * counts[1] * counts[2]; }
  [[nodiscard]] tiling::TileShape smallest() const { return {least}; }
};

/// No larger along any axis?
[[nodiscard]] bool inside(const tiling::TileShape& small, const tiling::TileShape& large);

/// Every shape of the space lies in exactly one group. Order: fewest tiles, then fewest cuts along
/// W, then along C, then along H. Most searches end soon, so groups are made as they are asked for.
class ShapeGroups {
 public:
  /// Groups with fewer or more tiles than these are left out.
  ShapeGroups(const tiling::TileSpace& space, TileCounts tiles);

  /// Nothing after the last.
  [[nodiscard]] std::optional<ShapeGroup> next();
  /// Of the groups that differ from the last one in more cuts along C alone, those up to the
  /// first for which `refuted` (called with the least extent along C) is false are left out; it
  /// is false for all after that one.  require: next() gave a group. Returns how many are left out.
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
  /// Are there groups with more tiles than were asked for?  require: next() gave nothing.
  [[nodiscard]] bool cut() const { return !rows_.empty(); }

 private:
  struct Cut {
    Dim count = 1;
    Dim least = 1;
    Dim most = 1;
  };
  /// Groups with the same cuts along H and W, from the next cut along C on.
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
  /// The rows with so many cuts along H, all of them before are open.
  void open(std::size_t h);
  /// Until no row that is not open comes before the first of those that are: along two long axes
  /// there are too many rows to begin them all.
  void open_up_to_the_first();

  std::array<std::vector<Cut>, tiling::tile_axes> cuts_;
  std::int64_t fewest_;
  std::int64_t most_;
  std::optional<Row> last_;  ///< of the last group
  // Heaps, the first in order at the front.
  std::vector<Row> rows_;
  std::vector<Row> unopened_;  ///< of each H up to opened_, the next one along W; c is 0
  std::size_t opened_ = 0;     ///< so many of the cuts along H
};

/// The first groups of a space in their order, made when somebody asks for them and kept: every
/// machine and every variant of a run asks for the same ones.
class KnownGroups {
 public:
  /// So many are kept, as their counts alone: searches that go further are few, and a run in a plan
  /// has thousands of neighbours.
  static constexpr std::size_t most = 4096;

  explicit KnownGroups(const tiling::TileSpace& space) : space_(space), rest_(space, {}) {}
  [[nodiscard]] const tiling::TileSpace& space() const { return space_; }
  /// Nothing after the last one that is kept.
  [[nodiscard]] std::optional<ShapeGroup> at(std::size_t k);
  /// Of the first one with at least so many tiles; `most` where none that is kept has.
  [[nodiscard]] std::size_t first_with(std::int64_t tiles);

 private:
  tiling::TileSpace space_;
  ShapeGroups rest_;
  std::vector<std::array<Dim, tiling::tile_axes>> counts_;
};

/// The groups with at least so many tiles, as ShapeGroups has them.
class GroupWalk {
 public:
  /// require: the groups outlive the walk.
  GroupWalk(KnownGroups& known, std::int64_t fewest)
      : known_(known), fewest_(fewest), next_(known.first_with(fewest)) {}
  /// Nothing after the last.
  [[nodiscard]] std::optional<ShapeGroup> next();
  /// Which one next() gave, among those that are kept.
  [[nodiscard]] std::optional<std::size_t> index() const {
    return beyond_ ? std::nullopt : std::optional(next_ - 1);
  }

 private:
  KnownGroups& known_;
  std::int64_t fewest_;
  std::size_t next_;
  std::optional<ShapeGroups> beyond_;  ///< what is kept
};

/// What the first tile of each group's smallest shape holds at its fullest step, by the index of
/// the group (GroupWalk). Of a machine with one memory on the chip, for every capacity of it.
struct FirstLoads {
  static constexpr Size unknown = -1;
  std::vector<Size> of_group;
};

}  // namespace tessera::search
