// The cheapest tiles of a run, where the fewest are not.
//
//   const CheapestTile best = cheapest_tile(geometry, hardware, {.options = variant,
//                                                                .fewest_tiles = 3,
//                                                                .cost = simulate,
//                                                                .below = known});
//   if (best.found) use(*best.found);
//
// Fewer tiles fetch and make less again, but more of them let transfers hide behind work, and an
// extent that suits the array keeps more of it busy. Shapes are looked at in groups that cut each
// axis into equally many parts; what a group costs at least follows from its counts alone
// (cost/grid_bound.h), so most groups are left out unseen. The most even shape of a group and those
// that the array's unrolling divides stand for it. These are looked at first, those of groups that
// cost little as far as one tile tells (cost/computing.h) before the others; the rest of a group
// comes last, if it is small. What was left out costs at least `open`.
// Private to planner/.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cost/grid_bound.h"
#include "search/tiles/shape_order.h"
#include "search/tiles/tile_search.h"
#include "tessera/effort.h"
#include "tessera/hardware.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"

namespace tessera::planner {

/// What somebody found out about shapes before. Each function may be empty.
struct KnownShapes {
  /// Are the loads of all tiles within the memory? Nothing where nobody knows.
  std::function<std::optional<bool>(const tiling::TileShape&)> fits;
  std::function<void(const tiling::TileShape&, bool)> keep_fits;
  std::function<std::optional<Metrics>(const tiling::TileShape&)> cost;
};

/// Some shapes, and what finds out whether one fits and what it costs, as `known` is told.
using FindOut = std::function<void(const tiling::TileShape&)>;
using Prepare = std::function<void(std::span<const tiling::TileShape>, const FindOut&)>;

struct ShapeSearchParams {
  TileVariant options;
  engine::PlacementEngine* engine = nullptr;
  Budget budget;
  std::int64_t nodes_per_question = nodes_per_plan_question;
  std::chrono::nanoseconds time_per_question{0};
  std::uint64_t seed = 0;
  std::int64_t fewest_tiles = 1;  ///< shapes with fewer do not fit, or are known
  const cost::GridBound* bound = nullptr;
  std::function<double(const Metrics&)> score;  ///< monotone in every metric
  /// Of computing a tile, and what is known of that. Empty: groups are taken in the order of their
  /// bounds.
  std::function<cost::Computing(const tiling::TileRegions&)> computing{};
  cost::KnownComputing* known_computing = nullptr;  ///< nobody keeps it: null
  /// What the shape costs, at least; called for each that is looked at.
  std::function<Metrics(const tiling::TileGrid&, const tiling::Lowering&)> cost;
  search::KnownGroups* groups = nullptr;      ///< of the geometry's space
  search::FirstLoads* first_loads = nullptr;  ///< nobody keeps them: null
  KnownShapes known{};
  /// Told of shapes that are looked at next, each after the other: others may find out about some
  /// of them meanwhile (ShapeFacts). Empty: there is nobody.
  Prepare prepare{};
  double below = std::numeric_limits<double>::infinity();  ///< what costs as much is of no use
  std::int64_t most_shapes = 0;                            ///< so many are looked at
};

struct CheapestTile {
  std::optional<search::TileSearchResult> found;  ///< placed; the cheapest that was looked at
  double cost = std::numeric_limits<double>::infinity();
  double open = std::numeric_limits<double>::infinity();
  std::int64_t looked = 0;
};

/// require: engine, groups, score and cost are set; with first_loads, the problem has one memory,
/// with nothing reserved.
[[nodiscard]] CheapestTile cheapest_tile(tiling::TileGeometry& geometry, const Hardware& hardware,
                                         const ShapeSearchParams& params);

/// What is to be known of one shape after the other, and nothing else.
class ShapeFacts {
 public:
  /// require: all outlive this; as cheapest_tile(), with `known` to tell.
  ShapeFacts(tiling::TileGeometry& geometry, const Hardware& hardware,
             const ShapeSearchParams& params);
  ~ShapeFacts();
  /// Throws BudgetEnded.
  void find_out(const tiling::TileShape& shape);

 private:
  std::unique_ptr<class ShapeSearch> search_;
};

/// Shapes that cut each axis into equally many parts, and what any of them costs and loads at
/// least.
struct RatedGroup {
  search::ShapeGroup group;
  Metrics least;
};

struct RatedGroups {
  std::vector<RatedGroup> groups;
  /// What is in none of them costs no less than this; infinite: it is of no use.
  double open = std::numeric_limits<double>::infinity();
};

/// Those that may cost less than `below`: nothing is looked at.
[[nodiscard]] RatedGroups rated_groups(tiling::TileGeometry& geometry, const Hardware& hardware,
                                       const ShapeSearchParams& params);

/// Tells of every shape in the groups whose loads fit and that may cost less than `below`, with
/// what it costs at least; none is placed. How many were looked at; nothing where those were
/// `most_shapes`, or the budget ended: of some nothing is known then.
[[nodiscard]] std::optional<std::int64_t> each_shape(
    tiling::TileGeometry& geometry, const Hardware& hardware, const ShapeSearchParams& params,
    std::span<const search::ShapeGroup> groups,
    const std::function<void(const tiling::TileShape&, const Metrics&)>& what);

}  // namespace tessera::planner
