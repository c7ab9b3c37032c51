#include "tiling/walk.h"

#include <algorithm>

namespace tessera::tiling {
namespace {

/// Does the needed part of a tensor change between tiles that differ only along this axis?
bool differs_along(const TileGrid& grid, std::size_t axis, std::size_t tensor) {
  std::array<std::uint32_t, tile_axes> at{};
  for (at[0] = 0; at[0] < grid.class_counts[0]; ++at[0])
    for (at[1] = 0; at[1] < grid.class_counts[1]; ++at[1])
      for (at[2] = 0; at[2] < grid.class_counts[2]; ++at[2]) {
        if (at[axis] == 0) continue;
        const auto tile = [&](const std::array<std::uint32_t, tile_axes>& of) {
          return (of[0] * grid.class_counts[1] + of[1]) * grid.class_counts[2] + of[2];
        };
        std::array<std::uint32_t, tile_axes> other = at;
        other[axis] = 0;
        if (grid.tiles[tile(at)].fresh[tensor] != grid.tiles[tile(other)].fresh[tensor])
          return true;
      }
  return false;
}

}  // namespace

std::array<std::size_t, tile_axes> tile_order(Stationary stationary) {
  if (stationary == Stationary::inputs) return {1, 2, 0};
  return {0, 1, 2};
}

TileWalk::TileWalk(const TileGrid& grid, const Lowering& lowering)
    : grid_(&grid), order_(tile_order(lowering.options.stationary)) {
  for (const StayingTensor& staying : lowering.staying) {
    Stays& one = stays_.emplace_back();
    one.tensor = staying.tensor;
    if (staying.resident) continue;
    all_are_resident_ = false;
    for (std::size_t axis = 0; axis < tile_axes; ++axis)
      one.follows[axis] = grid.counts[axis] > 1 &&
                          (staying.moves[axis] || differs_along(grid, axis, staying.tensor));
  }
  find_visits();
}

TileLevel TileWalk::level_at(const std::array<Dim, tile_axes>& position) const {
  if (stays_.empty()) return TileLevel::first;
  if (position[order_[2]] > 0) return TileLevel::inner;
  if (all_are_resident_)
    return position[order_[1]] > 0 || position[order_[0]] > 0 ? TileLevel::inner : TileLevel::first;
  if (position[order_[1]] > 0) return TileLevel::middle;
  return position[order_[0]] > 0 ? TileLevel::outer : TileLevel::first;
}

bool TileWalk::loads(std::size_t tensor, TileLevel level) const {
  const auto found = std::ranges::find(stays_, tensor, &Stays::tensor);
  if (found == stays_.end() || level == TileLevel::first) return true;
  // An inner loop that restarts has also moved, if it has more than one iteration.
  bool moved = found->follows[order_[2]];
  if (level != TileLevel::inner) moved = moved || found->follows[order_[1]];
  if (level == TileLevel::outer) moved = moved || found->follows[order_[0]];
  return moved;
}

void TileWalk::find_visits() {
  constexpr std::size_t no_visit = static_cast<std::size_t>(-1);
  visit_of_.assign(grid_->tiles.size() * tile_levels, no_visit);
  const auto add = [&](std::size_t tile, TileLevel level, std::int64_t times) {
    if (times == 0) return;
    visit_of_[tile * tile_levels + static_cast<std::size_t>(level)] = visits_.size();
    visits_.push_back({tile, level, times});
  };
  if (all_are_resident_) {
    const TileLevel others = stays_.empty() ? TileLevel::first : TileLevel::inner;
    const std::size_t first = stays_.empty() ? grid_->tiles.size() : grid_->at(0, 0, 0);
    for (std::size_t tile = 0; tile < grid_->tiles.size(); ++tile) {
      if (tile == first) add(tile, TileLevel::first, 1);
      add(tile, others, grid_->tiles[tile].times - (tile == first ? 1 : 0));
    }
    return;
  }
  // Per axis and class: does it contain the first position, and how many others?
  std::array<std::vector<std::array<std::int64_t, 2>>, tile_axes> of_class;
  for (std::size_t axis = 0; axis < tile_axes; ++axis) {
    of_class[axis].assign(grid_->class_counts[axis], {0, 0});
    for (std::size_t k = 0; k < grid_->classes[axis].size(); ++k)
      ++of_class[axis][grid_->classes[axis][k]][k == 0 ? 0 : 1];
  }
  std::size_t tile = 0;
  for (std::uint32_t c = 0; c < grid_->class_counts[0]; ++c)
    for (std::uint32_t h = 0; h < grid_->class_counts[1]; ++h)
      for (std::uint32_t w = 0; w < grid_->class_counts[2]; ++w, ++tile) {
        const std::array<std::uint32_t, tile_axes> classes{c, h, w};
        const auto of = [&](std::size_t loop) {
          return of_class[order_[loop]][classes[order_[loop]]];
        };
        const auto [inner, inners] = of(2);
        const auto [middle, middles] = of(1);
        const auto [outer, outers] = of(0);
        add(tile, TileLevel::inner, inners * (middle + middles) * (outer + outers));
        add(tile, TileLevel::middle, inner * middles * (outer + outers));
        add(tile, TileLevel::outer, inner * middle * outers);
        add(tile, TileLevel::first, inner * middle * outer);
      }
}

}  // namespace tessera::tiling
