// The cheapest tiles of a group, if the fewest are not the cheapest.
//
//   const CheapestTile best = cheapest_tile(geometry, hardware, {.options = variant,
//                                                                .fewest_tiles = 3,
//                                                                .cost = simulate,
//                                                                .below = known});
//   if (best.found) use(*best.found);
//
// Fewer tiles repeat less traffic and computation. More tiles overlap transfers with computation,
// and an extent that suits the array raises its utilisation. Shapes form groups that divide each
// axis into the same number of parts. A lower bound of a group follows from these numbers alone
// (cost/grid_bound.h), so most groups are skipped. A group is represented by its most even shape
// and by those that the array's unrolling divides. Representatives are evaluated first, in the
// order of the estimated cost of one tile (cost/computing.h). The other shapes of small groups
// follow. `open` bounds the cost of skipped shapes.
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

/// Results known for shapes. Each function may be empty.
struct KnownShapes {
  /// True if the loads of all tiles fit; nothing if unknown.
  std::function<std::optional<bool>(const tiling::TileShape&)> fits;
  std::function<void(const tiling::TileShape&, bool)> keep_fits;
  std::function<std::optional<Metrics>(const tiling::TileShape&)> cost;
};

/// Some shapes, and a function that determines whether one fits and what it costs, as reported to
/// `known`.
using FindOut = std::function<void(const tiling::TileShape&)>;
using Prepare = std::function<void(std::span<const tiling::TileShape>, const FindOut&)>;

struct ShapeSearchParams {
  TileVariant options;
  engine::PlacementEngine* engine = nullptr;
  Budget budget;
  std::int64_t nodes_per_question = nodes_per_plan_question;
  std::chrono::nanoseconds time_per_question{0};
  std::uint64_t seed = 0;
  std::int64_t fewest_tiles = 1;  ///< shapes with fewer tiles do not fit or are known
  const cost::GridBound* bound = nullptr;
  std::function<double(const Metrics&)> score;  ///< monotone in every metric
  /// Cost of computing one tile, and known results. Empty: groups are ordered by their bounds.
  std::function<cost::Computing(const tiling::TileRegions&)> computing{};
  cost::KnownComputing* known_computing = nullptr;  ///< null: results are not kept
  /// Lower bound of the shape's cost; called for each evaluated shape.
  std::function<Metrics(const tiling::TileGrid&, const tiling::Lowering&)> cost;
  search::KnownGroups* groups = nullptr;      ///< of the geometry's space
  search::FirstLoads* first_loads = nullptr;  ///< null: results are not kept
  KnownShapes known{};
  /// Receives the shapes that are evaluated next, in order. Other threads may evaluate some of them
  /// in advance (ShapeFacts). Empty: no helpers.
  Prepare prepare{};
  double below = std::numeric_limits<double>::infinity();  ///< shapes of this cost or more are of
                                                           ///< no use
  std::int64_t most_shapes = 0;                            ///< limit on evaluated shapes
};

struct CheapestTile {
  std::optional<search::TileSearchResult> found;  ///< placed; the cheapest evaluated
  double cost = std::numeric_limits<double>::infinity();
  double open = std::numeric_limits<double>::infinity();
  std::int64_t looked = 0;
};

/// require: engine, groups, score and cost are set; with first_loads, the problem has one memory
/// without reserved ranges.
[[nodiscard]] CheapestTile cheapest_tile(tiling::TileGeometry& geometry, const Hardware& hardware,
                                         const ShapeSearchParams& params);

/// Determines the results of single shapes for `known`.
class ShapeFacts {
 public:
  /// require: all outlive this; the other conditions of cheapest_tile(); `known` is set.
  ShapeFacts(tiling::TileGeometry& geometry, const Hardware& hardware,
             const ShapeSearchParams& params);
  ~ShapeFacts();
  /// Throws BudgetEnded.
  void find_out(const tiling::TileShape& shape);

 private:
  std::unique_ptr<class ShapeSearch> search_;
};

/// Shapes that divide each axis into the same number of parts, with a lower bound of their cost and
/// load.
struct RatedGroup {
  search::ShapeGroup group;
  Metrics least;
};

struct RatedGroups {
  std::vector<RatedGroup> groups;
  /// Shapes in none of the groups cost no less than this; infinite: they are of no use.
  double open = std::numeric_limits<double>::infinity();
};

/// The groups that may cost less than `below`. Evaluates no shape.
[[nodiscard]] RatedGroups rated_groups(tiling::TileGeometry& geometry, const Hardware& hardware,
                                       const ShapeSearchParams& params);

/// Calls what() with every shape of the groups whose loads fit and that may cost less than `below`,
/// and its lower bound. Places none. Returns the number of evaluated shapes. Nothing if
/// `most_shapes` or the budget ended it, so that some shapes are unknown.
[[nodiscard]] std::optional<std::int64_t> each_shape(
    tiling::TileGeometry& geometry, const Hardware& hardware, const ShapeSearchParams& params,
    std::span<const search::ShapeGroup> groups,
    const std::function<void(const tiling::TileShape&, const Metrics&)>& what);

}  // namespace tessera::planner
