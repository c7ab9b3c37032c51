#include "search/tiles/fitting_shapes.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

namespace tessera::search {
namespace {

constexpr auto channel_axis = static_cast<std::size_t>(tiling::TileAxis::channels);
constexpr auto row_axis = static_cast<std::size_t>(tiling::TileAxis::height);
constexpr auto column_axis = static_cast<std::size_t>(tiling::TileAxis::width);
/// The largest and the smallest number of shapes to test concurrently.
constexpr std::size_t most_together = 64;
constexpr std::size_t least_together = 8;

}  // namespace

FittingShapes::FittingShapes(tiling::TileGeometry& geometry, const tiling::Lowering& lowering,
                             const Decider& decider, TileCounters& counters, SpentOnce& budget,
                             TileCounts tiles, FindMost find_most, Together together,
                             Refuted refuted)
    : geometry_(geometry),
      lowering_(lowering),
      decider_(decider),
      counters_(counters),
      budget_(budget),
      tiles_(tiles),
      find_most_(std::move(find_most)),
      together_(std::move(together)),
      refuted_(std::move(refuted)),
      test_(geometry, lowering, decider.refuter()) {}

const std::vector<Size>& FittingShapes::first_sizes(const tiling::TileShape& shape) {
  if (geometry_.first_volumes(shape, volumes_)) return test_.sizes_of(volumes_);
  geometry_.first_tile(shape, first_tile_);
  return test_.sizes_of(first_tile_);
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

/// Advances to the next shape that no plane refutes.
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
      // Groups with a few more cuts along C are usually refuted, too.
      tiling::TileShape shape = group_.smallest();
      counters_.passed_over += static_cast<std::int64_t>(groups_->leave_out([&](Dim extent) {
        shape.extent[channel_axis] = extent;
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

/// Sets at_ to the first remaining shape of the group, if any.
bool FittingShapes::enter_group() {
  at_ = group_.smallest();
  for (; at_.extent[column_axis] <= group_.most[column_axis]; ++at_.extent[column_axis])
    if (enter_width()) return true;
  return false;
}

/// The same with a fixed extent along W.
bool FittingShapes::enter_width() {
  at_.extent[channel_axis] = group_.least[channel_axis];
  left_.clear();
  bool any = false;
  for (Dim h = group_.least[row_axis]; h <= group_.most[row_axis]; ++h) {
    if (budget_.exhausted()) return false;
    left_.push_back(channels_left(h, at_.extent[column_axis], group_.least[channel_axis],
                                  group_.most[channel_axis]));
    if (any || left_.back() < group_.least[channel_axis]) continue;
    any = true;
    at_.extent[row_axis] = h;
  }
  return any;
}

/// H is the fastest index, and W the slowest.
bool FittingShapes::next_in_group() {
  Dim& c = at_.extent[channel_axis];
  Dim& h = at_.extent[row_axis];
  for (;;) {
    for (++h; h <= group_.most[row_axis]; ++h)
      if (left_[static_cast<std::size_t>(h - group_.least[row_axis])] >= c) return true;
    if (std::ranges::max(left_) <= c) break;
    ++c;
    h = group_.least[row_axis] - 1;
  }
  for (++at_.extent[column_axis]; at_.extent[column_axis] <= group_.most[column_axis];
       ++at_.extent[column_axis])
    if (enter_width()) return true;
  return false;
}

Dim FittingShapes::channels_left(Dim extent_h, Dim extent_w, Dim least, Dim most) {
  if (!geometry_.space().axis[channel_axis]) return most;
  Planes& planes =
      planes_
          .try_emplace({extent_h, extent_w},
                       Planes{.gone = geometry_.space().whole.extent[channel_axis] + 1})
          .first->second;
  // Later refutations may exclude extents that were not refuted earlier.
  if (std::exchange(planes.refutations, decider_.refutations()) != decider_.refutations())
    planes.left = 0;
  const auto look = [&](Dim c) {
    (plane_refuted({{c, extent_h, extent_w}}) ? planes.gone : planes.left) = c;
  };
  // Usually the least extent is refuted.
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
    return decider_.refuted_cheaply(test_.sizes_of(geometry_.middle_tile(shape, true))).has_value();
  return std::ranges::any_of(all_volumes_, [&](const std::vector<std::int64_t>& volumes) {
    return decider_.refuted_cheaply(test_.sizes_of(volumes)).has_value();
  });
}

std::optional<std::vector<Size>> FittingShapes::plane_sizes(const tiling::TileShape& shape) {
  if (!geometry_.space().axis[channel_axis]) return std::nullopt;
  tiling::TileShape thin = shape;
  thin.extent[channel_axis] = 1;
  if (geometry_.largest_volumes(thin, /*first_channel=*/true, all_volumes_) ==
      tiling::TileGeometry::Found::none)
    return test_.sizes_of(geometry_.middle_tile(thin, true));
  std::vector<std::vector<Size>> tiles;
  for (const std::vector<std::int64_t>& volumes : all_volumes_)
    tiles.push_back(test_.sizes_of(volumes));
  return tiling::demands(lowering_, std::move(tiles)).front();
}

/// Is the first tile along H and W one of the tiles tested by planes?
bool FittingShapes::planes_hold_first() const {
  return geometry_.has_volumes() && geometry_.space().axis[channel_axis];
}

std::optional<FittingShape> FittingShapes::test(const tiling::TileShape& shape) {
  FittingShape found{shape, 1, {}};
  for (std::size_t a = 0; a < tiling::tile_axes; ++a) {
    const Dim whole = geometry_.space().whole.extent[a];
    found.tiles *= (whole + shape.extent[a] - 1) / shape.extent[a];
  }
  ++counters_.shapes;
  const bool by_first = !planes_hold_first() && refuted_by_first_tile(shape);
  const std::optional<DecidedBy> by =
      by_first ? DecidedBy::bound : test_.refute(shape, found.demands);
  if (!by) return found;
  refuted_(shape, found.tiles, *by);
  return std::nullopt;
}

std::optional<FittingShape> FittingShapes::next() {
  while (!ended_ && (ready_next_ < ready_.size() || fill())) {
    if (budget_.exhausted()) return std::nullopt;
    Next& each = ready_[ready_next_++];
    ++counters_.shapes;
    const auto refuted_now = [&](const std::vector<Size>& sizes) {
      return decider_.refuted_since(ready_refutations_, sizes);
    };
    // New refutations may apply to shapes tested before.
    if (!each.by && ready_refutations_ != decider_.refutations() &&
        std::ranges::any_of(each.found.demands, refuted_now))
      each.by = DecidedBy::dominance;
    if (!each.by) return std::move(each.found);
    refuted_(each.found.shape, each.found.tiles, *each.by);
  }
  return std::nullopt;
}

/// Tests the next shape, or several at once if threads are idle: more and more of them as long as
/// they are refuted. False: there is none.
bool FittingShapes::fill() {
  ready_.clear();
  ready_next_ = 0;
  const bool others = together_.run && together_.wanted();
  at_once_ = others ? std::min(2 * at_once_, most_together) : 1;
  ready_refutations_ = decider_.refutations();
  while (ready_.size() < at_once_ && advance() && !budget_.exhausted()) {
    Next& each = ready_.emplace_back();
    each.found = {at_, group_.tiles(), {}};
    if (!planes_hold_first() && refuted_by_first_tile(at_)) each.by = DecidedBy::bound;
  }
  const auto test = [](GridTest& own, Next& each) {
    if (each.tested) return;
    if (!each.by) each.by = own.refute(each.found.shape, each.found.demands);
    each.tested = true;
  };
  if (ready_.size() < least_together) {
    for (Next& each : ready_) test(test_, each);
  } else {
    std::atomic<std::size_t> next{0};
    together_.run([&](tiling::TileGeometry& geometry) {
      const auto each_with = [&](GridTest& own) {
        for (std::size_t k = next++; k < ready_.size(); k = next++) test(own, ready_[k]);
      };
      if (&geometry == &geometry_) return each_with(test_);
      try {
        Refuter refuter = decider_.other_refuter();
        GridTest own(geometry, lowering_, refuter);
        each_with(own);
      } catch (const std::bad_alloc&) {  // the remaining memory is for the search itself
      }
    });
    for (Next& each : ready_) test(test_, each);  // those for which other threads had no memory
  }
  return !ready_.empty();
}

}  // namespace tessera::search
