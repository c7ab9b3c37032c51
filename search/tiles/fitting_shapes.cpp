#include "search/tiles/fitting_shapes.h"

#include <algorithm>
#include <utility>

namespace tessera::search {
namespace {

constexpr auto channels = static_cast<std::size_t>(tiling::TileAxis::channels);
constexpr auto height = static_cast<std::size_t>(tiling::TileAxis::height);
constexpr auto width = static_cast<std::size_t>(tiling::TileAxis::width);

}  // namespace

FittingShapes::FittingShapes(tiling::TileGeometry& geometry, const tiling::Lowering& lowering,
                             const Decider& decider, TileCounters& counters, SpentOnce& budget,
                             TileCounts tiles, FindMost find_most, Refuted refuted)
    : geometry_(geometry),
      lowering_(lowering),
      decider_(decider),
      counters_(counters),
      budget_(budget),
      tiles_(tiles),
      find_most_(std::move(find_most)),
      refuted_(std::move(refuted)) {}

const std::vector<Size>& FittingShapes::sizes_of(std::span<const std::int64_t> volumes) {
  tiling::tile_sizes(lowering_, volumes, sizes_);
  return sizes_;
}

const std::vector<Size>& FittingShapes::sizes_of(const tiling::TileRegions& tile) {
  sizes_ = tiling::tile_sizes(geometry_.subgraph(), geometry_.space(), lowering_, tile);
  return sizes_;
}

const std::vector<Size>& FittingShapes::first_sizes(const tiling::TileShape& shape) {
  if (geometry_.first_volumes(shape, volumes_)) return sizes_of(volumes_);
  return sizes_of(geometry_.first_tile(shape));
}

tiling::TileShape FittingShapes::least_shape() const {
  tiling::TileShape least = geometry_.space().whole;
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
    if (geometry_.space().axis[axis]) least.extent[axis] = 1;
  return least;
}

std::vector<Size> FittingShapes::least_sizes() {
  return first_sizes(least_shape());
}

/// To the next shape that no plane refutes.
bool FittingShapes::advance() {
  if (inside_group_ && next_in_group()) return true;
  if (!groups_) groups_.emplace(geometry_.space(), tiles_);
  inside_group_ = false;
  while (!cut_) {
    const std::optional<ShapeGroup> group = groups_->next();
    if (!group) {
      cut_ = groups_->cut();
      return false;
    }
    group_ = *group;
    if (find_most_ && group_.tiles() > 1)
      tiles_.most = std::min(tiles_.most, std::exchange(find_most_, nullptr)());
    if (group_.tiles() > tiles_.most) {
      cut_ = true;
      return false;
    }
    ++counters_.passed_over;
    if (refuted_by_first_tile(group_.smallest())) {
      // As a rule so are those with a few more cuts along C.
      tiling::TileShape shape = group_.smallest();
      counters_.passed_over += static_cast<std::int64_t>(groups_->leave_out([&](Dim extent) {
        shape.extent[channels] = extent;
        return refuted_by_first_tile(shape);
      }));
    } else if (enter_group()) {
      --counters_.passed_over;
      return inside_group_ = true;
    }
    if (counters_.passed_over % 64 == 0 && budget_.exhausted()) return false;
  }
  return false;
}

/// Sets at_ to the first shape of the group that is left, if one is.
bool FittingShapes::enter_group() {
  at_ = group_.smallest();
  for (; at_.extent[width] <= group_.most[width]; ++at_.extent[width])
    if (enter_width()) return true;
  return false;
}

/// The same with the extent along W as it is.
bool FittingShapes::enter_width() {
  at_.extent[channels] = group_.least[channels];
  left_.clear();
  bool any = false;
  for (Dim h = group_.least[height]; h <= group_.most[height]; ++h) {
    if (budget_.exhausted()) return false;
    left_.push_back(channels_left(h, at_.extent[width]));
    if (any || left_.back() < group_.least[channels]) continue;
    any = true;
    at_.extent[height] = h;
  }
  return any;
}

/// H fastest and W slowest.
bool FittingShapes::next_in_group() {
  Dim& c = at_.extent[channels];
  Dim& h = at_.extent[height];
  for (;;) {
    for (++h; h <= group_.most[height]; ++h)
      if (left_[static_cast<std::size_t>(h - group_.least[height])] >= c) return true;
    if (std::ranges::max(left_) <= c) break;
    ++c;
    h = group_.least[height] - 1;
  }
  for (++at_.extent[width]; at_.extent[width] <= group_.most[width]; ++at_.extent[width])
    if (enter_width()) return true;
  return false;
}

/// The largest extent along C of the group that no plane refutes; 0 where all are refuted.
Dim FittingShapes::channels_left(Dim extent_h, Dim extent_w) {
  const Dim most = group_.most[channels];
  if (!geometry_.space().axis[channels]) return most;
  Planes& planes = planes_
                       .try_emplace({extent_h, extent_w},
                                    Planes{.gone = geometry_.space().whole.extent[channels] + 1})
                       .first->second;
  // What was not refuted then may be by now.
  if (std::exchange(planes.refutations, decider_.refutations()) != decider_.refutations())
    planes.left = 0;
  const auto look = [&](Dim c) {
    (plane_refuted({{c, extent_h, extent_w}}) ? planes.gone : planes.left) = c;
  };
  // Most often the least extent is refuted.
  const Dim least = group_.least[channels];
  if (planes.left < least && least < planes.gone) look(least);
  if (planes.left < least) return 0;
  while (planes.left < most && planes.left + 1 < planes.gone)
    look(planes.left + (std::min(planes.gone, most + 1) - planes.left) / 2);
  return std::min(planes.left, most);
}

bool FittingShapes::refuted_by_first_tile(const tiling::TileShape& shape) {
  for (const tiling::TileShape& refuted : refuted_first_)
    if (inside(refuted, shape)) return true;
  if (!decider_.refuted_cheaply(first_sizes(shape))) return false;
  std::erase_if(refuted_first_, [&](const tiling::TileShape& r) { return inside(shape, r); });
  refuted_first_.push_back(shape);
  return true;
}

bool FittingShapes::plane_refuted(const tiling::TileShape& shape) {
  if (geometry_.largest_volumes(shape, /*first_channel=*/true, all_volumes_) ==
      tiling::TileGeometry::Found::none)
    return decider_.refuted_cheaply(sizes_of(geometry_.middle_tile(shape, true))).has_value();
  return std::ranges::any_of(all_volumes_, [&](const std::vector<std::int64_t>& volumes) {
    return decider_.refuted_cheaply(sizes_of(volumes)).has_value();
  });
}

std::optional<std::vector<Size>> FittingShapes::plane_sizes(const tiling::TileShape& shape) {
  if (!geometry_.space().axis[channels]) return std::nullopt;
  tiling::TileShape thin = shape;
  thin.extent[channels] = 1;
  if (geometry_.largest_volumes(thin, /*first_channel=*/true, all_volumes_) ==
      tiling::TileGeometry::Found::none)
    return sizes_of(geometry_.middle_tile(thin, true));
  std::vector<std::vector<Size>> tiles;
  for (const std::vector<std::int64_t>& volumes : all_volumes_) tiles.push_back(sizes_of(volumes));
  return tiling::demands(lowering_, std::move(tiles)).front();
}

/// By some tile of its grid; else `demands` is set.
std::optional<DecidedBy> FittingShapes::refute(const tiling::TileShape& shape,
                                               std::vector<std::vector<Size>>& demands) {
  using Found = tiling::TileGeometry::Found;
  const Found found = geometry_.largest_volumes(shape, /*first_channel=*/false, all_volumes_);
  if (found == Found::none) {
    const tiling::TileRegions middle = geometry_.middle_tile(shape, /*first_channel=*/false);
    if (const auto by = decider_.refuted_cheaply(sizes_of(middle))) return by;
  } else {
    std::vector<std::vector<Size>> tiles;
    for (const std::vector<std::int64_t>& volumes : all_volumes_)
      tiles.push_back(sizes_of(volumes));
    demands = tiling::demands(lowering_, std::move(tiles));
    for (const std::vector<Size>& sizes : demands)
      if (const auto by = decider_.refuted_cheaply(sizes)) return by;
    if (found == Found::all) return std::nullopt;
  }
  demands.clear();
  // Most that is refuted now is by a tile that lies where that of the last shape did.
  const tiling::TileGeometry::Classes counts = geometry_.class_counts(shape);
  tiling::TileGeometry::Classes like = refuting_;
  for (std::size_t a = 0; a < tiling::tile_axes; ++a) like[a] = std::min(like[a], counts[a] - 1);
  std::optional<DecidedBy> by = decider_.refuted_cheaply(sizes_of(geometry_.tile_of(shape, like)));
  if (by) return by;
  std::size_t number = 0;
  geometry_.for_each_tile(shape, [&](const tiling::TileRegions& tile) {
    by = decider_.refuted_cheaply(sizes_of(tile));
    if (!by) {
      tiling::add_demand(lowering_, sizes_, demands);
      ++number;
    }
    return !by;
  });
  if (by)
    refuting_ = {number / (counts[1] * counts[2]), number / counts[2] % counts[1],
                 number % counts[2]};
  // What lies there through all tiles covers them together.
  return by || !lowering_.across_tiles ? by : decider_.refuted_cheaply(demands.front());
}

/// Is the first tile along H and W among those that planes ask about?
bool FittingShapes::planes_hold_first() const {
  return geometry_.has_volumes() && geometry_.space().axis[channels];
}

std::optional<FittingShape> FittingShapes::next() {
  while (!ended_ && advance()) {
    if (budget_.exhausted()) return std::nullopt;
    const std::int64_t tiles = group_.tiles();
    ++counters_.shapes;
    if (!planes_hold_first() && refuted_by_first_tile(at_)) {
      refuted_(at_, tiles, DecidedBy::bound);
      continue;
    }
    FittingShape found{at_, tiles, {}};
    if (const auto by = refute(at_, found.demands))
      refuted_(at_, tiles, *by);
    else
      return found;
  }
  return std::nullopt;
}

}  // namespace tessera::search
