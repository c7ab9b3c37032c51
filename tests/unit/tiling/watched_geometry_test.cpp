// A geometry with a poll ends with the budget, and its partial results do no harm.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/convolutions.h"
#include "tiling/geometry.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {
namespace {

class Nearly final : public MemoryWatch {
 public:
  [[nodiscard]] bool exceeded() override { return false; }
  [[nodiscard]] Size left() override { return 1 << 10; }
};

TEST(WatchedGeometry, EndsWithTheBudgetAndMayBeAskedAgain) {
  const Network net =
      testing::convolutions(2, {.channels = 4, .rows = 3000, .columns = 8, .pad = 1});
  const Subgraph part = make_subgraph(net, {0, 1});
  const TileShape shape{{4, 1, 8}};
  TileGeometry geometry(part, HaloPolicy::recompute);
  std::vector<std::vector<std::int64_t>> volumes;
  Budget over;
  over.deadline = std::chrono::steady_clock::now();
  {
    Poll poll(over);
    const WatchedGeometry watched(geometry, poll);
    EXPECT_THROW(static_cast<void>(geometry.grid(shape)), BudgetEnded);
    EXPECT_THROW(geometry.for_each_tile(shape, [](const TileRegions&) { return true; }),
                 BudgetEnded);
    EXPECT_THROW(static_cast<void>(geometry.largest_volumes(shape, false, volumes)), BudgetEnded);
  }
  {
    Nearly full;
    Budget little;
    little.memory = &full;
    Poll poll(little);
    const WatchedGeometry watched(geometry, poll);
    EXPECT_THROW(static_cast<void>(geometry.grid(shape)), BudgetEnded);
  }
  // Without a poll; no partial result remains.
  TileGeometry fresh(part, HaloPolicy::recompute);
  const TileGrid grid = geometry.grid(shape);
  EXPECT_EQ(grid.count(), 3000);
  EXPECT_EQ(grid.classes, fresh.grid(shape).classes);
  std::size_t seen = 0;
  geometry.for_each_tile(shape, [&](const TileRegions& tile) {
    EXPECT_EQ(tile.needed, grid.tiles.at(seen).needed);
    EXPECT_EQ(tile.stored, grid.tiles.at(seen).stored);
    return ++seen < grid.tiles.size();
  });
  EXPECT_EQ(seen, grid.tiles.size());
  seen = 0;
  geometry.for_each_tile(shape, [&](const TileRegions&) { return ++seen < 2; });
  EXPECT_EQ(seen, 2U);
  std::vector<std::vector<std::int64_t>> expected;
  EXPECT_EQ(geometry.largest_volumes(shape, false, volumes),
            fresh.largest_volumes(shape, false, expected));
  EXPECT_EQ(volumes, expected);
}

}  // namespace
}  // namespace tessera::tiling
