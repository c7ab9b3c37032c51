#include "search/tiles/shape_order.h"

#include <algorithm>
#include <tuple>

#include "tiling/ceil_div.h"

namespace tessera::search {

namespace {

/// The least integer factor that makes the product at least this large, without overflow.
Dim least_factor(std::int64_t product, Dim other) {
  return (product - 1) / other + 1;
}

}  // namespace

bool inside(const tiling::TileShape& small, const tiling::TileShape& large) {
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
    if (small.extent[axis] > large.extent[axis]) return false;
  return true;
}

/// The ways to cut an axis: each possible count of parts with its range of extents.
std::vector<ShapeGroups::Cut> ShapeGroups::cuts_of(Dim whole, bool divisible) {
  if (!divisible) return {{1, whole, whole}};
  std::vector<Cut> cuts;
  for (Dim most = whole; most >= 1;) {
    const Dim count = (whole + most - 1) / most;
    const Dim least = (whole + count - 1) / count;
    cuts.push_back({count, least, most});
    most = least - 1;
  }
  return cuts;
}

ShapeGroups::ShapeGroups(const tiling::TileSpace& space, TileCounts tiles)
    : fewest_(tiles.fewest), most_(tiles.most) {
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
    cuts_[axis] = cuts_of(space.whole.extent[axis], space.axis[axis].has_value());
  open(0);
}

void ShapeGroups::open(std::size_t h) {
  const Dim others = cuts_[1][h].count * cuts_[0].back().count;
  const auto w = std::ranges::lower_bound(cuts_[2], least_factor(fewest_, others), {}, &Cut::count);
  if (w != cuts_[2].end()) push(unopened_, {0, h, static_cast<std::size_t>(w - cuts_[2].begin())});
  opened_ = h + 1;
}

void ShapeGroups::push(std::vector<Row>& rows, const Row& row) const {
  rows.push_back(row);
  std::ranges::push_heap(rows, [this](const Row& a, const Row& b) { return later(a, b); });
}

ShapeGroups::Row ShapeGroups::pop(std::vector<Row>& rows) const {
  std::ranges::pop_heap(rows, [this](const Row& a, const Row& b) { return later(a, b); });
  const Row row = rows.back();
  rows.pop_back();
  return row;
}

void ShapeGroups::open_up_to_the_first() {
  // A row with more cuts along H and W begins no earlier. Therefore if the next unopened rows do
  // not come before the first open one, no unopened row does.
  const auto may_come_first = [this](std::int64_t tiles) {
    return rows_.empty() || std::max(tiles, fewest_) <= tiles_of(rows_.front());
  };
  for (;;) {
    if (opened_ < cuts_[1].size() && may_come_first(cuts_[1][opened_].count)) {
      open(opened_);
    } else if (!unopened_.empty() && may_come_first(tiles_of(unopened_.front()))) {
      Row row = pop(unopened_);
      const Dim others = tiles_of(row);
      const auto first =
          std::ranges::lower_bound(cuts_[0], least_factor(fewest_, others), {}, &Cut::count);
      push(rows_, {static_cast<std::size_t>(first - cuts_[0].begin()), row.h, row.w});
      if (++row.w < cuts_[2].size()) push(unopened_, row);
    } else {
      return;
    }
  }
}

bool ShapeGroups::later(const Row& a, const Row& b) const {
  const auto key = [this](const Row& row) {
    const Dim c = cuts_[0][row.c].count;
    const Dim h = cuts_[1][row.h].count;
    const Dim w = cuts_[2][row.w].count;
    return std::tuple(c * h * w, w, c, h);
  };
  return key(a) > key(b);
}

std::optional<ShapeGroup> ShapeGroups::next() {
  if (last_ && ++last_->c < cuts_[0].size()) push(rows_, *last_);
  last_.reset();
  open_up_to_the_first();
  if (rows_.empty() || tiles_of(rows_.front()) > most_) return std::nullopt;
  last_ = pop(rows_);
  const Cut& c = cuts_[0][last_->c];
  const Cut& h = cuts_[1][last_->h];
  const Cut& w = cuts_[2][last_->w];
  return ShapeGroup{
      {c.count, h.count, w.count}, {c.least, h.least, w.least}, {c.most, h.most, w.most}};
}

std::optional<ShapeGroup> KnownGroups::at(std::size_t k) {
  while (counts_.size() <= k && counts_.size() < most) {
    const std::optional<ShapeGroup> group = rest_.next();
    if (!group) return std::nullopt;
    counts_.push_back(group->counts);
  }
  if (k >= counts_.size()) return std::nullopt;
  ShapeGroup group{.counts = counts_[k]};
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis) {
    const Dim whole = space_.whole.extent[axis];
    const Dim count = group.counts[axis];
    group.least[axis] = tiling::ceil_div(whole, count);
    group.most[axis] = count == 1 ? whole : (whole - 1) / (count - 1);
  }
  return group;
}

std::size_t KnownGroups::first_with(std::int64_t tiles) {
  const auto tiles_of = [](const std::array<Dim, tiling::tile_axes>& counts) {
    return ShapeGroup{.counts = counts}.tiles();
  };
  while (counts_.empty() || tiles_of(counts_.back()) < tiles)
    if (!at(counts_.size())) return counts_.size();
  const auto first = std::ranges::lower_bound(counts_, tiles, {}, tiles_of);
  return static_cast<std::size_t>(first - counts_.begin());
}

std::optional<ShapeGroup> GroupWalk::next() {
  if (beyond_) return beyond_->next();
  if (const std::optional<ShapeGroup> group = known_.at(next_)) {
    ++next_;
    return group;
  }
  if (next_ < KnownGroups::most) return std::nullopt;
  // Groups with as many tiles as the last cached one are enumerated again.
  const ShapeGroup last = known_.at(KnownGroups::most - 1).value();
  beyond_.emplace(known_.space(), TileCounts{.fewest = std::max(fewest_, last.tiles())});
  if (fewest_ <= last.tiles())
    while (const std::optional<ShapeGroup> group = beyond_->next())
      if (group->counts == last.counts) break;
  return beyond_->next();
}

}  // namespace tessera::search
