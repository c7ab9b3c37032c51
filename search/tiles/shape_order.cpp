#include "search/tiles/shape_order.h"

#include <algorithm>
#include <tuple>

namespace tessera {
namespace {

struct Cut {
  Dim count = 1;
  Dim least = 1;
  Dim most = 1;
};

/// Ways to cut an axis: each count of parts that some extent gives, with its extents.
std::vector<Cut> cuts_of(Dim whole, bool divisible) {
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

}  // namespace

bool inside(const TileShape& small, const TileShape& large) {
  for (std::size_t axis = 0; axis < tile_axes; ++axis)
    if (small.extent[axis] > large.extent[axis]) return false;
  return true;
}

std::vector<ShapeGroup> shape_groups(const TileSpace& space) {
  std::array<std::vector<Cut>, tile_axes> cuts;
  for (std::size_t axis = 0; axis < tile_axes; ++axis)
    cuts[axis] = cuts_of(space.whole.extent[axis], space.axis[axis].has_value());
  std::vector<ShapeGroup> groups;
  for (const Cut& c : cuts[0])
    for (const Cut& h : cuts[1])
      for (const Cut& w : cuts[2])
        groups.push_back(
            {{c.count, h.count, w.count}, {c.least, h.least, w.least}, {c.most, h.most, w.most}});
  std::ranges::sort(groups, {}, [](const ShapeGroup& g) {
    return std::tuple(g.tiles(), g.counts[2], g.counts[0], g.counts[1]);
  });
  return groups;
}

}  // namespace tessera
