// Tile shapes that the load test does not refute, from few tiles to many.
//
//   FittingShapes shapes(geometry, lowering, decider, counters);
//   while (std::optional<FittingShape> next = shapes.next()) ask(next->demands);
//
// Most shapes are passed over, most of them in bulk:
//  - The first tile grows with every extent. Therefore a shape is refuted if it is at least as
//  large as a
//    shape whose first tile is refuted. A group is refuted if its smallest shape is.
//  - With its place along H and W fixed, the first tile along C grows with its extent. Therefore
//  among
//    shapes with equal extents along H and W, those above the largest extent that is not refuted
//    are left out.
//  - Then the middle tile is tested, which usually is the largest, and finally every tile that no
//    other tile covers.
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
  std::vector<std::vector<Size>> demands;  ///< they cover those of every tile of the grid
};

class FittingShapes {
 public:
  /// Called for every shape that an individual test refutes.
  using Refuted = std::function<void(const tiling::TileShape&, std::int64_t tiles, DecidedBy)>;
  /// Returns a lower limit on tiles; called when shapes with several tiles are tested. May be
  /// empty.
  using FindMost = std::function<std::int64_t()>;
  using Together = TileSearchParams::Together;

  /// require: all arguments outlive this.
  FittingShapes(tiling::TileGeometry& geometry, const tiling::Lowering& lowering,
                const Decider& decider, TileCounters& counters, SpentOnce& budget, TileCounts tiles,
                FindMost find_most, Together together, Refuted refuted);

  /// The next shape that no test refutes; nothing after the last, or when the budget is spent.
  [[nodiscard]] std::optional<FittingShape> next();
  /// Did next() return nothing because only shapes above the tile limit are left? False if the
  /// budget was spent before.
  [[nodiscard]] bool cut() const { return !ended_ && cut_; }
  /// Ends the enumeration: no shape fits.
  void end() { ended_ = true; }

  /// The largest extent along C in least .. most that no plane refutes, with these extents along H
  /// and W; 0 if all are refuted, and `most` if C is not cut.
  [[nodiscard]] Dim channels_left(Dim extent_h, Dim extent_w, Dim least, Dim most);
  /// Tests a single shape: nothing if a test refutes it.
  [[nodiscard]] std::optional<FittingShape> test(const tiling::TileShape& shape);

  /// Sizes of the first channel, which the demands of every shape with these extents along H and W
  /// cover. Nothing if C is not cut.
  [[nodiscard]] std::optional<std::vector<Size>> plane_sizes(const tiling::TileShape& shape);

  [[nodiscard]] tiling::TileShape least_shape() const;
  /// Sizes of the smallest possible first tile: if they do not fit, no tile fits.
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
  TileCounts tiles_;  ///< groups outside are left out
  FindMost find_most_;
  Together together_;
  Refuted refuted_;
  GridTest test_;
  std::optional<ShapeGroups> groups_;  ///< created at the first query
  ShapeGroup group_;
  bool inside_group_ = false;
  bool ended_ = false;
  bool cut_ = false;      ///< by tiles_ or find_most_
  tiling::TileShape at_;  ///< the last shape of the group that was tested
  /// For this extent along W, per extent along H: the largest extent along C that no plane refutes.
  std::vector<Dim> left_;
  std::vector<tiling::TileShape>
      refuted_first_;  ///< refuted by their first tile; none contains another
  /// Extents along C that were tested: the largest not refuted, and the smallest refuted.
  struct Planes {
    Dim left = 0;
    Dim gone = 0;
    std::size_t refutations = 0;  ///< refutations of the decider at that time
  };
  std::map<std::pair<Dim, Dim>, Planes> planes_;  ///< by the extents along H and W
  struct Next {
    FittingShape found;
    bool tested = false;
    std::optional<DecidedBy> by;  ///< the rule that refutes it
  };
  std::vector<Next> ready_;  ///< the next shapes
  std::size_t ready_next_ = 0;
  std::size_t ready_refutations_ = 0;  ///< refutations of the decider at that time
  std::size_t at_once_ = 1;
  // Reused memory.
  std::vector<std::int64_t> volumes_;
  tiling::TileRegions first_tile_;
  std::vector<std::vector<std::int64_t>> all_volumes_;
};

}  // namespace tessera::search
