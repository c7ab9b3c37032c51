#include "search/tiles/shape_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <tuple>

#include "tests/support/effort.h"

namespace tessera::search {
namespace {

tiling::TileSpace space_of(Dim c, Dim h, Dim w) {
  tiling::TileSpace space;
  space.whole.extent = {c, h, w};
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis) space.axis[axis] = axis + 1;
  return space;
}

std::tuple<std::int64_t, Dim, Dim, Dim> rank(const ShapeGroup& group) {
  return {group.tiles(), group.counts[2], group.counts[0], group.counts[1]};
}

TEST(ShapeGroups, HoldEveryShapeOnceFromFewTilesToMany) {
  for (const std::int64_t fewest : {1, 6}) {
    ShapeGroups groups(space_of(12, 7, 9), {.fewest = fewest});
    std::set<tiling::TileShape> seen;
    std::optional<ShapeGroup> before;
    while (const std::optional<ShapeGroup> group = groups.next()) {
      if (before) {
        EXPECT_LT(rank(*before), rank(*group));
      }
      before = group;
      EXPECT_GE(group->tiles(), fewest);
      for (Dim c = group->least[0]; c <= group->most[0]; ++c)
        for (Dim h = group->least[1]; h <= group->most[1]; ++h)
          for (Dim w = group->least[2]; w <= group->most[2]; ++w) {
            EXPECT_TRUE(seen.insert(tiling::TileShape{{c, h, w}}).second);
            EXPECT_EQ((12 + c - 1) / c * ((7 + h - 1) / h) * ((9 + w - 1) / w), group->tiles());
          }
    }
    if (fewest == 1) {
      EXPECT_EQ(seen.size(), 12U * 7U * 9U);
    }
  }
}

/// From each number of tiles on, exactly the groups with at least this many tiles, in order.
TEST(ShapeGroups, BeginWithTheFewestTiles) {
  for (const tiling::TileSpace& space :
       {space_of(12, 7, 9), space_of(1, 40, 30), space_of(50, 1, 8), space_of(30, 20, 1),
        space_of(1, 1, 1)}) {
    std::vector<ShapeGroup> all;
    ShapeGroups made(space, {});
    while (const std::optional<ShapeGroup> group = made.next()) all.push_back(*group);
    ASSERT_TRUE(std::ranges::is_sorted(all, {}, rank));
    for (std::int64_t fewest = 0; fewest <= all.back().tiles() + 1; ++fewest) {
      ShapeGroups groups(space, {.fewest = fewest});
      for (const ShapeGroup& expected : all)
        if (expected.tiles() >= fewest) {
          const std::optional<ShapeGroup> group = groups.next();
          ASSERT_TRUE(group);
          ASSERT_EQ(rank(*group), rank(expected)) << "from " << fewest << " tiles on";
        }
      ASSERT_FALSE(groups.next());
      ASSERT_FALSE(groups.cut());
    }
  }
}

/// Four million shapes along H and W: groups are made on demand only.
TEST(ShapeGroups, BeginAtOnceAlongLongAxes) {
  const tiling::TileSpace space = space_of(1, Dim{1} << 30, 1024);
  const std::clock_t start = std::clock();
  for (int k = 0; k < 20; ++k) {
    ShapeGroups groups(space, {.fewest = 1 + k * 1000});
    std::optional<ShapeGroup> before;
    for (int n = 0; n < 100; ++n) {
      const std::optional<ShapeGroup> group = groups.next();
      ASSERT_TRUE(group);
      if (before) {
        ASSERT_LT(rank(*before), rank(*group));
      }
      before = group;
    }
  }
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2.0 * testing::slowness);
}

TEST(ShapeGroups, LeaveAxesThatCannotBeCut) {
  tiling::TileSpace space = space_of(12, 7, 9);
  space.axis[0].reset();
  ShapeGroups groups(space, {});
  while (const std::optional<ShapeGroup> group = groups.next()) {
    EXPECT_EQ(group->least[0], 12);
    EXPECT_EQ(group->most[0], 12);
  }
}

TEST(ShapeGroups, EndWithTheMostTiles) {
  ShapeGroups groups(space_of(12, 7, 9), {.fewest = 3, .most = 5});
  std::set<std::int64_t> tiles;
  while (const std::optional<ShapeGroup> group = groups.next()) tiles.insert(group->tiles());
  EXPECT_EQ(tiles, (std::set<std::int64_t>{3, 4, 5}));
  EXPECT_TRUE(groups.cut());
  ShapeGroups all(space_of(2, 1, 1), {.most = 2});
  while (all.next()) {
  }
  EXPECT_FALSE(all.cut());
}

/// Extents along C of 5 and more are refuted: cuts in 3 parts and more remain.
TEST(ShapeGroups, LeaveOutWhatMoreCutsAlongCDoNotHelp) {
  for (const Dim most : {0, 4, 12}) {
    ShapeGroups groups(space_of(12, 1, 1), {});
    std::vector<Dim> kept;
    while (const std::optional<ShapeGroup> group = groups.next()) {
      if (group->least[0] > most)
        groups.leave_out([&](Dim extent) { return extent > most; });
      else
        kept.push_back(group->counts[0]);
    }
    EXPECT_EQ(kept, most == 0   ? std::vector<Dim>{}
                    : most == 4 ? (std::vector<Dim>{3, 4, 6, 12})
                                : (std::vector<Dim>{1, 2, 3, 4, 6, 12}));
    EXPECT_FALSE(groups.cut());
  }
}

/// The same groups in the same order from any starting point, including after stored ones.
void expect_walked_as_made(const tiling::TileSpace& space,
                           const std::vector<std::int64_t>& beginnings) {
  KnownGroups known(space);
  for (const std::int64_t fewest : beginnings) {
    ShapeGroups made(space, {.fewest = fewest});
    GroupWalk walk(known, fewest);
    std::size_t count = 0;
    for (;; ++count) {
      const std::optional<ShapeGroup> expected = made.next();
      const std::optional<ShapeGroup> group = walk.next();
      ASSERT_EQ(expected.has_value(), group.has_value()) << fewest << ", group " << count;
      if (!group) break;
      ASSERT_EQ(expected->counts, group->counts) << fewest << ", group " << count;
      ASSERT_EQ(expected->least, group->least);
      ASSERT_EQ(expected->most, group->most);
      if (const auto index = walk.index()) {
        const std::optional<ShapeGroup> kept = known.at(*index);
        ASSERT_TRUE(kept);
        ASSERT_EQ(kept->counts, group->counts);
      }
    }
    EXPECT_FALSE(walk.next());
  }
}

TEST(GroupWalk, GivesWhatShapeGroupsGives) {
  expect_walked_as_made(space_of(12, 7, 9), {1, 5, 5, 700, 2, 100'000});
  expect_walked_as_made(space_of(1, 1, 1), {1, 2});
  tiling::TileSpace uncut = space_of(12, 7, 9);
  uncut.axis[0].reset();
  expect_walked_as_made(uncut, {1, 20});
}

TEST(GroupWalk, GoesOnBehindWhatIsKept) {
  const tiling::TileSpace space = space_of(256, 112, 112);
  KnownGroups known(space);
  const std::optional<ShapeGroup> last = known.at(KnownGroups::most - 1);
  ASSERT_TRUE(last);
  ASSERT_FALSE(known.at(KnownGroups::most));
  const std::int64_t tiles = last->tiles();
  expect_walked_as_made(space, {1, tiles - 1, tiles, tiles + 1, 50'000, 10'000'000});
}

}  // namespace
}  // namespace tessera::search
