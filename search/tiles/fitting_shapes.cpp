#include "search/tiles/fitting_shapes.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr auto channels = static_cast<std::size_t>(TileAxis::channels);
constexpr auto height = static_cast<std::size_t>(TileAxis::height);
constexpr auto width = static_cast<std::size_t>(TileAxis::width);

}  // namespace

FittingShapes::FittingShapes(TileGeometry& geometry, const Lowering& lowering,
                             const Decider& decider, TileCounters& counters, const Budget& budget,
                             std::int64_t fewest_tiles, Refuted refuted)
    : geometry_(geometry),
      lowering_(lowering),
      decider_(decider),
      counters_(counters),
      budget_(budget),
      fewest_tiles_(fewest_tiles),
      refuted_(std::move(refuted)) {}

const std::vector<Size>& FittingShapes::sizes_of(std::span<const std::int64_t> volumes) {
  tile_sizes(geometry_.subgraph(), lowering_, volumes, sizes_);
  return sizes_;
}

const std::vector<Size>& FittingShapes::sizes_of(const TileRegions& tile) {
  sizes_ = tile_sizes(geometry_.subgraph(), geometry_.space(), lowering_, tile);
  return sizes_;
}

const std::vector<Size>& FittingShapes::first_sizes(const TileShape& shape) {
  if (geometry_.first_volumes(shape, volumes_)) return sizes_of(volumes_);
  return sizes_of(geometry_.first_tile(shape));
}

TileShape FittingShapes::least_shape() const {
  TileShape least = geometry_.space().whole;
  for (std::size_t axis = 0; axis < tile_axes; ++axis)
    if (geometry_.space().axis[axis]) least.extent[axis] = 1;
  return least;
}

std::vector<Size> FittingShapes::least_sizes() {
  return first_sizes(least_shape());
}

/// Sets at_ to the least shape of the next group that is not passed over.
bool FittingShapes::enter_group() {
  for (; group_ < groups_.size(); ++group_) {
    if (groups_[group_].tiles() < fewest_tiles_) continue;
    at_ = groups_[group_].smallest();
    if (!refuted_by_first_tile(at_)) return true;
    ++counters_.passed_over;
    if (counters_.passed_over % 64 == 0 && budget_.exhausted()) return true;
  }
  return false;
}

/// To the next shape of the group, H fastest and W slowest, or of the next group.
bool FittingShapes::advance() {
  if (groups_.empty()) groups_ = shape_groups(geometry_.space());
  if (group_ == groups_.size()) return false;
  if (!inside_group_) return inside_group_ = enter_group();
  const ShapeGroup& group = groups_[group_];
  for (const std::size_t axis : {height, channels, width}) {
    if (at_.extent[axis] < group.most[axis]) {
      ++at_.extent[axis];
      return true;
    }
    at_.extent[axis] = group.least[axis];
  }
  ++group_;
  return inside_group_ = enter_group();
}

bool FittingShapes::refuted_by_first_tile(const TileShape& shape) {
  for (const TileShape& refuted : refuted_first_)
    if (inside(refuted, shape)) return true;
  if (!decider_.refuted_cheaply(first_sizes(shape))) return false;
  std::erase_if(refuted_first_, [&](const TileShape& r) { return inside(shape, r); });
  refuted_first_.push_back(shape);
  return true;
}

bool FittingShapes::plane_refuted(const TileShape& shape) {
  if (geometry_.largest_volumes(shape, /*first_channel=*/true, all_volumes_) ==
      TileGeometry::Found::none)
    return decider_.refuted_cheaply(sizes_of(geometry_.middle_tile(shape, true))).has_value();
  return std::ranges::any_of(all_volumes_, [&](const std::vector<std::int64_t>& volumes) {
    return decider_.refuted_cheaply(sizes_of(volumes)).has_value();
  });
}

bool FittingShapes::refuted_by_plane(const TileShape& shape) {
  if (!geometry_.space().axis[channels]) return false;
  const auto [known, is_new] =
      channels_left_.try_emplace({shape.extent[height], shape.extent[width]}, 0);
  if (is_new) {
    TileShape tried = shape;
    Dim left = 0;  // not refuted, as far as is known
    Dim gone = geometry_.space().whole.extent[channels] + 1;
    while (left + 1 < gone) {
      tried.extent[channels] = left + (gone - left) / 2;
      (plane_refuted(tried) ? gone : left) = tried.extent[channels];
    }
    known->second = left;
  }
  return shape.extent[channels] > known->second;
}

std::optional<std::vector<Size>> FittingShapes::plane_sizes(const TileShape& shape) {
  if (!geometry_.space().axis[channels]) return std::nullopt;
  TileShape thin = shape;
  thin.extent[channels] = 1;
  if (geometry_.largest_volumes(thin, /*first_channel=*/true, all_volumes_) ==
      TileGeometry::Found::none)
    return sizes_of(geometry_.middle_tile(thin, true));
  std::vector<std::vector<Size>> tiles;
  for (const std::vector<std::int64_t>& volumes : all_volumes_) tiles.push_back(sizes_of(volumes));
  return demands(lowering_, std::move(tiles)).front();
}

/// By some tile of its grid; else `demands` is set.
std::optional<DecidedBy> FittingShapes::refute(const TileShape& shape,
                                               std::vector<std::vector<Size>>& demands) {
  using Found = TileGeometry::Found;
  const Found found = geometry_.largest_volumes(shape, /*first_channel=*/false, all_volumes_);
  if (found == Found::none) {
    const TileRegions middle = geometry_.middle_tile(shape, /*first_channel=*/false);
    if (const auto by = decider_.refuted_cheaply(sizes_of(middle))) return by;
  } else {
    std::vector<std::vector<Size>> tiles;
    for (const std::vector<std::int64_t>& volumes : all_volumes_)
      tiles.push_back(sizes_of(volumes));
    demands = tessera::demands(lowering_, std::move(tiles));
    for (const std::vector<Size>& sizes : demands)
      if (const auto by = decider_.refuted_cheaply(sizes)) return by;
    if (found == Found::all) return std::nullopt;
  }
  demands = tessera::demands(geometry_.subgraph(), geometry_.space(), lowering_,
                             geometry_.grid(shape).tiles);
  for (const std::vector<Size>& sizes : demands)
    if (const auto by = decider_.refuted_cheaply(sizes)) return by;
  return std::nullopt;
}

std::optional<FittingShape> FittingShapes::next() {
  while (advance()) {
    if (budget_.exhausted()) return std::nullopt;
    const std::int64_t tiles = groups_[group_].tiles();
    ++counters_.shapes;
    if (refuted_by_plane(at_) || refuted_by_first_tile(at_)) {
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

}  // namespace tessera
