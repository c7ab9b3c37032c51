#include "planner/shapes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "facts/load.h"
#include "planner/lower_banks.h"
#include "search/tiles/shape_order.h"

namespace tessera::planner {
namespace {

/// Limit on groups with a bound; other groups have more tiles than any of these.
constexpr std::size_t most_groups = 4096;
/// Number of groups, at a few microseconds each, between two polls of the budget.
constexpr std::size_t poll_after = 64;
/// Shapes offered to helpers at a time, plus those of the same group. The last ones may be
/// unnecessary.
constexpr std::size_t prepared_at_once = 16;
/// Groups with at most this many shapes are evaluated completely.
constexpr std::int64_t small_group = 64;
/// Number of groups of which one tile is computed as an estimate: a few microseconds per op.
constexpr std::size_t most_estimated = 256;
/// If not all groups can be evaluated, those with an estimate above this multiple of the best are
/// skipped.
constexpr double estimate_margin = 1.02;

/// Extents along an axis that fill the arrays: multiples of their unrolling.
std::array<std::vector<Dim>, tiling::tile_axes> granules(const Hardware& hardware) {
  std::array<std::set<Dim>, tiling::tile_axes> found;
  const auto add = [&](const LoopCounts& unroll) {
    for (const auto& [loop, count] : unroll) {
      if (count < 2) continue;
      if (loop == "K" || loop == "C" || loop == "G") found[0].insert(count);
      if (loop == "H") found[1].insert(count);
      if (loop == "W") found[2].insert(count);
    }
  };
  for (const Engine& engine : hardware.engines) {
    add(engine.unroll);
    for (const Mapping& map : engine.maps) add(map.unroll);
    if (engine.blocks.depth_step > 1) found[0].insert(engine.blocks.depth_step);
  }
  std::array<std::vector<Dim>, tiling::tile_axes> all;
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
    all[axis].assign(found[axis].begin(), found[axis].end());
  return all;
}

struct Rated {
  double bound = 0;
  search::ShapeGroup group;
  Size load = 0;                       ///< load of its least tile, if cached
  std::optional<std::size_t> index{};  ///< index in the cache
  double estimate = 0;
};

/// Shapes of a group: its representatives, or the rest.
struct Visit {
  const Rated* of = nullptr;
  bool rest = false;
};

/// False if the loop order makes resident data useless. Halos count only if the machine may
/// recompute them (`may_recompute`).
bool worth_its_order(const TileVariant& variant, bool may_recompute,
                     const std::array<Dim, tiling::tile_axes>& counts) {
  if (may_recompute && variant.halo == HaloPolicy::keep_columns && counts[2] == 1) return false;
  if (may_recompute && variant.halo == HaloPolicy::keep && counts[1] * counts[2] == 1) return false;
  switch (variant.stationary) {
    case Stationary::none:
      return true;
    case Stationary::weights:
      return counts[1] * counts[2] > 1;
    case Stationary::inputs:
      return counts[0] > 1;
  }
  return true;
}

}  // namespace

class ShapeSearch {
 public:
  ShapeSearch(tiling::TileGeometry& geometry, const Hardware& hardware,
              const ShapeSearchParams& params)
      : geometry_(geometry),
        hardware_(hardware),
        params_(params),
        lowering_(tiling::lower(geometry.subgraph(), geometry.space(), hardware, params.options)),
        load_(lowering_.problem),
        granules_(granules(hardware)),
        may_recompute_(std::ranges::find(hardware.tiling.halo, HaloPolicy::recompute) !=
                       hardware.tiling.halo.end()) {
    best_.cost = params.below;
  }

  CheapestTile run() {
    if (same_by_another_name()) return std::move(best_);
    std::vector<Rated> list = groups();
    take_promising_first(list);
    choosy_ = !may_look_at_all(list);
    std::vector<Visit> visits;
    for (const bool rest : {false, true})
      for (const Rated& rated : list)
        if (!rest || has_rest(rated.group)) visits.push_back({&rated, rest});
    std::size_t prepared = 0;
    std::size_t at = 0;
    for (; at < visits.size() && best_.looked < params_.most_shapes; ++at) {
      const Rated& rated = *visits[at].of;
      if (rated.bound >= best_.cost) continue;
      if (!promises(rated)) {
        leave_open(rated.bound);
        continue;
      }
      if (params_.prepare && at >= prepared) prepared = prepare(visits, at);
      if (!whole(rated.group)) leave_open(rated.bound);
      if (!look_at_each(shapes_of(visits[at]))) break;
    }
    for (; at < visits.size(); ++at) leave_open(visits[at].of->bound);
    if (best_.open >= best_.cost) best_.open = std::numeric_limits<double>::infinity();
    if (best_.found) place_low(*best_.found, geometry_, hardware_, asked(best_.found->shape));
    return std::move(best_);
  }

  RatedGroups rated() {
    RatedGroups found;
    if (same_by_another_name()) return found;
    for (const Rated& rated : groups()) {
      Metrics least;
      if (params_.bound != nullptr) least = bound_of(rated.group);
      least.peak_bytes = least_peak(rated);
      if (params_.score(least) < params_.below) found.groups.push_back({rated.group, least});
    }
    found.open = best_.open;
    return found;
  }

  void find_out(const tiling::TileShape& shape) {
    std::optional<tiling::TileGrid> grid;
    if (all_loads_fit(shape, grid)) static_cast<void>(cost_of(shape, grid));
  }

  std::optional<std::int64_t> each(
      std::span<const search::ShapeGroup> groups,
      const std::function<void(const tiling::TileShape&, const Metrics&)>& what) {
    each_ = what;
    for (const search::ShapeGroup& group : groups)
      if (!look_at_each(all_shapes(group))) return std::nullopt;
    return best_.looked;
  }

 private:
  /// True if the variant equals a plainer one: no data or halo is reused.
  [[nodiscard]] bool same_by_another_name() {
    return (params_.options.stationary == Stationary::inputs && lowering_.staying.empty()) ||
           (may_recompute_ && params_.options.halo != HaloPolicy::recompute &&
            !geometry_.keeps_halo());
  }

  /// Lower bound of the cost of `tiles` tiles or more, rounded down to a power of two.
  [[nodiscard]] double from(std::int64_t tiles) {
    if (params_.bound == nullptr) return 0;
    while (2 * stage_ <= tiles) stage_ *= 2, staged_.reset();
    if (!staged_) staged_ = params_.score(params_.bound->least(stage_, params_.options));
    return *staged_;
  }

  /// Groups that may be cheaper than the known tiling, most promising first.
  std::vector<Rated> groups() {
    std::vector<Rated> list;
    // Two copies of a single tile's buffers hide nothing of one op.
    const OpRange& ops = geometry_.subgraph().ops;
    const bool needs_two = params_.options.double_buffer && ops.first == ops.last;
    const std::int64_t fewest = std::max<std::int64_t>(params_.fewest_tiles, needs_two ? 2 : 1);
    search::GroupWalk groups(*params_.groups, fewest);
    std::size_t met = 0;
    while (const std::optional<search::ShapeGroup> group = groups.next()) {
      if (!worth_its_order(params_.options, may_recompute_, group->counts)) continue;
      const double rest = from(group->tiles());
      if (rest >= best_.cost) break;
      if (met++ == most_groups || (met % poll_after == 0 && params_.budget.exhausted())) {
        leave_open(rest);
        break;
      }
      Size* const load = kept_load(groups.index());
      if (load != nullptr && *load > lowering_.problem.memories.front().capacity) continue;
      const double bound = params_.bound == nullptr ? 0 : params_.score(bound_of(*group));
      if (bound >= best_.cost || first_is_too_large(*group, load)) continue;
      list.push_back({bound, *group, load == nullptr ? 0 : *load, groups.index()});
    }
    std::ranges::stable_sort(list, {}, &Rated::bound);
    return list;
  }

  /// require: the list is sorted by bounds. Groups without an estimate keep that order, after the
  /// others.
  void take_promising_first(std::vector<Rated>& list) {
    if (!params_.computing || params_.bound == nullptr || list.size() < 2) return;
    if (params_.most_shapes == 0) return;  // only bounds are requested
    const std::size_t end = std::min(list.size(), most_estimated);
    for (std::size_t k = 0; k < end; ++k) {
      Rated& rated = list[k];
      cost::Computing all = computing_of(rated);
      const auto tiles = static_cast<double>(rated.group.tiles());
      all.leading *= tiles;
      all.trailing *= tiles;
      Metrics estimate = params_.bound->estimate(rated.group.counts, params_.options, all);
      estimate.peak_bytes = least_peak(rated);
      rated.estimate = params_.score(estimate);
    }
    std::stable_sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const Rated& a, const Rated& b) { return a.estimate < b.estimate; });
  }

  /// Estimated from a middle tile.
  [[nodiscard]] cost::Computing computing_of(const Rated& rated) {
    const auto compute = [&] {
      return params_.computing(
          geometry_.middle_tile(rated.group.smallest(), /*first_channel=*/false));
    };
    if (!rated.index || params_.known_computing == nullptr) return compute();
    std::vector<cost::Computing>& known = params_.known_computing->of_group;
    if (*rated.index >= known.size()) known.resize(*rated.index + 1, cost::KnownComputing::unknown);
    if (known[*rated.index].leading < 0) known[*rated.index] = compute();
    return known[*rated.index];
  }

  [[nodiscard]] bool promises(const Rated& rated) const {
    return !choosy_ || rated.estimate <= estimate_margin * best_.cost;
  }
  [[nodiscard]] bool may_look_at_all(const std::vector<Rated>& list) const {
    std::int64_t shapes = 0;
    for (const Rated& rated : list)
      if (whole(rated.group)) shapes += shapes_in(rated.group);
    return shapes <= params_.most_shapes;
  }

  [[nodiscard]] Metrics bound_of(const search::ShapeGroup& group) const {
    return params_.bound->of_counts(group.counts, params_.options);
  }

  /// The topmost buffer need not be aligned at its end; loads are multiples of the alignment. The
  /// least one is also that of no bytes.
  [[nodiscard]] Size least_peak(const Rated& rated) const {
    const Size alignment = lowering_.problem.memories.front().alignment;
    return rated.load > alignment ? rated.load - (alignment - 1) : 0;
  }

  void leave_open(double cost) { best_.open = std::min(best_.open, cost); }

  /// Representative extents along an axis.
  [[nodiscard]] std::vector<Dim> extents(const search::ShapeGroup& group, std::size_t axis) const {
    const Dim least = group.least[axis];
    std::vector<Dim> list{least};
    for (const Dim granule : granules_[axis]) {
      const Dim even = (least + granule - 1) / granule * granule;
      if (even <= group.most[axis]) list.push_back(even);
    }
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }
  [[nodiscard]] static std::vector<Dim> all_extents(const search::ShapeGroup& group,
                                                    std::size_t axis) {
    std::vector<Dim> list;
    for (Dim extent = group.least[axis]; extent <= group.most[axis]; ++extent)
      list.push_back(extent);
    return list;
  }

  /// Number of shapes, saturated above small_group per axis.
  [[nodiscard]] static std::int64_t shapes_in(const search::ShapeGroup& group) {
    std::int64_t shapes = 1;
    for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
      shapes *= std::min<std::int64_t>(group.most[axis] - group.least[axis] + 1, small_group + 1);
    return shapes;
  }
  /// True if all shapes of the group are evaluated.
  [[nodiscard]] static bool whole(const search::ShapeGroup& group) {
    return shapes_in(group) <= small_group;
  }
  using Extents = std::array<std::vector<Dim>, tiling::tile_axes>;
  [[nodiscard]] static std::vector<tiling::TileShape> shapes_along(const Extents& along) {
    std::vector<tiling::TileShape> list;
    for (const Dim w : along[2])
      for (const Dim c : along[0])
        for (const Dim h : along[1]) list.push_back({{c, h, w}});
    return list;
  }
  [[nodiscard]] static std::vector<tiling::TileShape> all_shapes(const search::ShapeGroup& group) {
    Extents along;
    for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
      along[axis] = all_extents(group, axis);
    return shapes_along(along);
  }
  [[nodiscard]] Extents extents(const search::ShapeGroup& group) const {
    Extents along;
    for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis) along[axis] = extents(group, axis);
    return along;
  }
  /// True if the group has other shapes than its representatives, evaluated later.
  [[nodiscard]] bool has_rest(const search::ShapeGroup& group) const {
    if (!whole(group)) return false;
    std::int64_t first = 1;
    for (const std::vector<Dim>& along : extents(group)) first *= std::ssize(along);
    return first < shapes_in(group);
  }
  [[nodiscard]] std::vector<tiling::TileShape> shapes_of(const Visit& visit) const {
    const search::ShapeGroup& group = visit.of->group;
    const Extents along = extents(group);
    if (!visit.rest) return shapes_along(along);
    std::vector<tiling::TileShape> list = all_shapes(group);
    std::erase_if(list, [&](const tiling::TileShape& shape) {
      for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
        if (!std::ranges::binary_search(along[axis], shape.extent[axis])) return false;
      return true;
    });
    return list;
  }
  /// Offers the next shapes. Returns the index of the first visit not offered.
  [[nodiscard]] std::size_t prepare(const std::vector<Visit>& visits, std::size_t first) {
    std::vector<tiling::TileShape> next;
    std::size_t end = first;
    for (; end < visits.size() && next.size() < prepared_at_once; ++end)
      if (visits[end].of->bound < best_.cost && promises(*visits[end].of))
        for (const tiling::TileShape& shape : shapes_of(visits[end])) next.push_back(shape);
    params_.prepare(next, [this](const tiling::TileShape& shape) { find_out(shape); });
    return end;
  }

  /// False if a limit is met.
  bool look_at_each(const std::vector<tiling::TileShape>& shapes) {
    for (const tiling::TileShape& shape : shapes) {
      if (best_.looked == params_.most_shapes || params_.budget.exhausted()) return false;
      look_at(shape);
    }
    return true;
  }

  [[nodiscard]] const std::vector<Size>& first_sizes(const tiling::TileShape& shape) {
    if (geometry_.first_volumes(shape, volumes_)) {
      tiling::tile_sizes(lowering_, volumes_, sizes_);
    } else {
      geometry_.first_tile(shape, first_tile_);
      sizes_ = tiling::tile_sizes(geometry_.subgraph(), geometry_.space(), lowering_, first_tile_);
    }
    return sizes_;
  }
  [[nodiscard]] bool first_is_too_large(const tiling::TileShape& shape) {
    return load_.first_excess(first_sizes(shape)) > 0;
  }
  [[nodiscard]] Size* kept_load(std::optional<std::size_t> group) {
    if (!group || params_.first_loads == nullptr) return nullptr;
    std::vector<Size>& loads = params_.first_loads->of_group;
    if (*group >= loads.size()) loads.resize(*group + 1, search::FirstLoads::unknown);
    return &loads[*group];
  }
  /// The first tile grows with every extent, so the smallest shape bounds the whole group.
  [[nodiscard]] bool first_is_too_large(const search::ShapeGroup& group, Size* kept) {
    if (kept == nullptr) return first_is_too_large(group.smallest());
    const Memory& memory = lowering_.problem.memories.front();
    if (*kept == search::FirstLoads::unknown) {
      if (!bare_load_) {
        PlacementProblem bare = lowering_.problem;
        bare.memories.front().capacity = memory.alignment;
        bare_load_.emplace(bare);
      }
      *kept = bare_load_->excess(first_sizes(group.smallest())) + memory.alignment;
    }
    return *kept > memory.capacity;
  }

  /// Makes the grid if there is none.
  [[nodiscard]] bool all_loads_fit(const tiling::TileShape& shape,
                                   std::optional<tiling::TileGrid>& grid) {
    const KnownShapes& known = params_.known;
    if (known.fits)
      if (const std::optional<bool> fits = known.fits(shape)) return *fits;
    const bool fits = !first_is_too_large(shape) && [&] {
      using Found = tiling::TileGeometry::Found;
      const Found found = geometry_.largest_volumes(shape, /*first_channel=*/false, all_volumes_);
      if (found != Found::none &&
          std::ranges::any_of(all_volumes_, [&](const std::vector<std::int64_t>& volumes) {
            tiling::tile_sizes(lowering_, volumes, sizes_);
            return load_.first_excess(sizes_) > 0;
          }))
        return false;
      if (found == Found::all) return true;
      const auto fits_in = [&](const tiling::TileRegions& tile) {
        return load_.first_excess(tiling::tile_sizes(geometry_.subgraph(), geometry_.space(),
                                                     lowering_, tile)) <= 0;
      };
      // Usually no tile needs more than the middle one, and this test needs no grid.
      if (!fits_in(geometry_.middle_tile(shape, /*first_channel=*/false))) return false;
      grid = geometry_.grid_if(shape, fits_in);
      return grid.has_value();
    }();
    if (known.keep_fits) known.keep_fits(shape, fits);
    return fits;
  }

  [[nodiscard]] Metrics cost_of(const tiling::TileShape& shape,
                                const std::optional<tiling::TileGrid>& grid) {
    if (params_.known.cost)
      if (const std::optional<Metrics> known = params_.known.cost(shape)) return *known;
    return params_.cost(grid ? *grid : geometry_.grid(shape), lowering_);
  }

  /// The query for one shape.
  [[nodiscard]] search::TileSearchParams asked(const tiling::TileShape& shape) const {
    return {.options = params_.options,
            .engine = params_.engine,
            .budget = params_.budget,
            .nodes_per_question = params_.nodes_per_question,
            .time_per_question = params_.time_per_question,
            .seed = params_.seed,
            .only = shape};
  }

  void look_at(const tiling::TileShape& shape) {
    std::optional<tiling::TileGrid> grid;
    if (!all_loads_fit(shape, grid)) return;
    ++best_.looked;
    const Metrics least = cost_of(shape, grid);
    const double cost = params_.score(least);
    if (cost >= best_.cost) return;
    if (each_) return each_(shape, least);
    search::TileSearchResult fits = search::find_tile(geometry_, hardware_, asked(shape));
    if (fits.status == Status::unknown) return leave_open(cost);
    if (fits.status != Status::feasible) return;
    best_.cost = cost;
    best_.found = std::move(fits);
  }

  tiling::TileGeometry& geometry_;
  const Hardware& hardware_;
  const ShapeSearchParams& params_;
  tiling::Lowering lowering_;
  facts::LoadTest load_;
  std::optional<facts::LoadTest> bare_load_;  ///< for a memory with minimum capacity
  std::array<std::vector<Dim>, tiling::tile_axes> granules_;
  bool may_recompute_;
  CheapestTile best_;
  bool choosy_ = false;  ///< not all groups can be evaluated
  std::function<void(const tiling::TileShape&, const Metrics&)> each_;
  std::int64_t stage_ = 1;
  std::optional<double> staged_;
  // Working memory.
  std::vector<Size> sizes_;
  std::vector<std::int64_t> volumes_;
  tiling::TileRegions first_tile_;
  std::vector<std::vector<std::int64_t>> all_volumes_;
};

ShapeFacts::ShapeFacts(tiling::TileGeometry& geometry, const Hardware& hardware,
                       const ShapeSearchParams& params)
    : search_(std::make_unique<ShapeSearch>(geometry, hardware, params)) {}
ShapeFacts::~ShapeFacts() = default;
void ShapeFacts::find_out(const tiling::TileShape& shape) {
  search_->find_out(shape);
}

CheapestTile cheapest_tile(tiling::TileGeometry& geometry, const Hardware& hardware,
                           const ShapeSearchParams& params) {
  return ShapeSearch(geometry, hardware, params).run();
}

RatedGroups rated_groups(tiling::TileGeometry& geometry, const Hardware& hardware,
                         const ShapeSearchParams& params) {
  return ShapeSearch(geometry, hardware, params).rated();
}

std::optional<std::int64_t> each_shape(
    tiling::TileGeometry& geometry, const Hardware& hardware, const ShapeSearchParams& params,
    std::span<const search::ShapeGroup> groups,
    const std::function<void(const tiling::TileShape&, const Metrics&)>& what) {
  return ShapeSearch(geometry, hardware, params).each(groups, what);
}

}  // namespace tessera::planner
