// Tile shapes whose load fits, from few tiles to many: the only ones worth a question.
//
//   FittingShapes shapes(geometry, lowering, decider, counters);
//   while (std::optional<FittingShape> next = shapes.next()) ask(next->demands);
//
// Most shapes are passed over, and most of those in bulk:
//   - the first tile grows with every extent: a shape no smaller than one whose first tile is
//     refuted is refuted; where the smallest of a group is, the group is
//   - with its place along H and W fixed, the first tile along C grows with its extent: of shapes
//     with the same extents along H and W those above the largest that is not refuted are left out
//   - then the middle tile, as a rule the largest, and at last every tile that others do not cover
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/tiles/decider.h"
#include "search/tiles/grid_test.h"
#include "search/tiles/shape_order.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"

namespace tessera::search {

struct FittingShape {
  tiling::TileShape shape;
  std::int64_t tiles = 0;
  std::vector<std::vector<Size>> demands;  ///< cover those of every tile of the grid
};

class FittingShapes {
 public:
  /// Told of every shape that a test of its own refutes.
  using Refuted = std::function<void(const tiling::TileShape&, std::int64_t tiles, DecidedBy)>;
  /// Another limit to the tiles, asked for when more than one are looked at. May be empty.
  using FindMost = std::function<std::int64_t()>;
  using Together = TileSearchParams::Together;

  /// require: all outlive this.
  FittingShapes(tiling::TileGeometry& geometry, const tiling::Lowering& lowering,
                const Decider& decider, TileCounters& counters, SpentOnce& budget, TileCounts tiles,
                FindMost find_most, Together together, Refuted refuted);

  /// The next shape that no test refutes; nothing after the last, or when the budget is spent.
  [[nodiscard]] std::optional<FittingShape> next();
  /// Did next() give nothing since shapes with more tiles than were asked for are left? Not where
  /// the budget was spent before it came to these.
  [[nodiscard]] bool cut() const { return !ended_ && cut_; }
  /// Nothing else is worth looking at: no shape fits.
  void end() { ended_ = true; }

  /// The largest extent along C of at least `least` and at most `most` that no plane refutes, with
  /// these extents along H and W; 0 where all are refuted, and `most` where C is not cut.
  [[nodiscard]] Dim channels_left(Dim extent_h, Dim extent_w, Dim least, Dim most);
  /// This shape alone: nothing where a test refutes it.
  [[nodiscard]] std::optional<FittingShape> test(const tiling::TileShape& shape);

  /// Sizes that the demands of every shape with these extents along H and W cover: of the first
  /// channel. Nothing where C is not cut.
  [[nodiscard]] std::optional<std::vector<Size>> plane_sizes(const tiling::TileShape& shape);

  [[nodiscard]] tiling::TileShape least_shape() const;
  /// Of the smallest first tile there is: what does not hold this holds no tile.
  [[nodiscard]] std::vector<Size> least_sizes();

 private:
  [[nodiscard]] bool advance();
  [[nodiscard]] bool enter_group();
  [[nodiscard]] bool next_in_group();
  [[nodiscard]] bool enter_width();
  [[nodiscard]] bool refuted_by_first_tile(const tiling::TileShape& shape);
  [[nodiscard]] bool planes_hold_first() const;
  [[nodiscard]] bool plane_refuted(const tiling::TileShape& shape);
  [[nodiscard]] bool fill();
  [[nodiscard]] const std::vector<Size>& first_sizes(const tiling::TileShape& shape);

  tiling::TileGeometry& geometry_;
  const tiling::Lowering& lowering_;
  const Decider& decider_;
  TileCounters& counters_;
  SpentOnce& budget_;
  TileCounts tiles_;  ///< groups with fewer or more are left out
  FindMost find_most_;
  Together together_;
  Refuted refuted_;
  GridTest test_;
  std::optional<ShapeGroups> groups_;  ///< made when the first shape is asked for
  ShapeGroup group_;
  bool inside_group_ = false;
  bool ended_ = false;
  bool cut_ = false;      ///< by tiles_ or find_most_
  tiling::TileShape at_;  ///< the last shape of the group that was looked at
  /// At this extent along W, per extent along H: the largest along C that no plane refutes.
  std::vector<Dim> left_;
  std::vector<tiling::TileShape> refuted_first_;  ///< their first tile is; none is inside another
  /// Extents along C whose plane was looked at: the largest not refuted, the smallest refuted.
  struct Planes {
    Dim left = 0;
    Dim gone = 0;
    std::size_t refutations = 0;  ///< that the decider knew of
  };
  std::map<std::pair<Dim, Dim>, Planes> planes_;  ///< by the extents along H and W
  struct Next {
    FittingShape found;
    bool tested = false;
    std::optional<DecidedBy> by;  ///< what refutes it
  };
  std::vector<Next> ready_;  ///< the next shapes
  std::size_t ready_next_ = 0;
  std::size_t ready_refutations_ = 0;  ///< that the decider knew of
  std::size_t at_once_ = 1;
  // Working memory.
  std::vector<std::int64_t> volumes_;
  tiling::TileRegions first_tile_;
  std::vector<std::vector<std::int64_t>> all_volumes_;
};

}  // namespace tessera::search
