#include "planner/tile_memo.h"

#include <gtest/gtest.h>

namespace tessera::planner {
namespace {

tiling::TileSpace space_of(Dim channels, Dim height, Dim width) {
  tiling::TileSpace space;
  space.whole = {{channels, height, width}};
  return space;
}

/// If all shapes are undecided and only some are reported, the others do not count as refuted.
TEST(TileMemo, WhatWasGivenUpStaysSoWhateverTheFewestTilesAre) {
  const tiling::TileSpace space = space_of(1, 64, 1);
  search::TileSearchResult found;
  found.status = Status::unknown;
  found.stop = StopReason::node_limit;
  found.undecided = {{{1, 64, 1}}, {{1, 32, 1}}};
  found.given_up = true;
  const RememberedTile known = known_tile(found, 1, 0);
  for (const std::int64_t fewest : {1, 2, 8}) {
    const auto again = recall(known, space, fewest, 1 << 20);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->status, Status::unknown);
    EXPECT_TRUE(again->given_up);
    EXPECT_EQ(again->undecided.size(), fewest == 1 ? 2U : fewest == 2 ? 1U : 0U);
  }
}

TEST(TileMemo, ACutIsRecalledWhereNoMoreTilesAreAskedFor) {
  const tiling::TileSpace space = space_of(1, 64, 1);
  search::TileSearchResult found;
  found.status = Status::unknown;
  found.stop = StopReason::node_limit;
  found.cut = true;
  const RememberedTile known = known_tile(found, 2, 8);
  EXPECT_FALSE(recall(known, space, 1, 8));
  EXPECT_FALSE(recall(known, space, 2, 9));
  const auto again = recall(known, space, 2, 8);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->cut);
}

}  // namespace
}  // namespace tessera::planner
