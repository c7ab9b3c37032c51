#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/plan.h"
#include "tessera/tile.h"
#include "tests/support/convolutions.h"
#include "tests/support/machines.h"

namespace tessera::planner {
namespace {

/// Its first tile lacks a halo on two sides and needs less than those in the middle.
Network one_convolution() {
  return testing::convolutions(1, {.channels = 4, .rows = 16, .columns = 8});
}

Hardware machine(Size capacity, Size alignment) {
  Hardware hardware = testing::toy_machine(capacity);
  hardware.memories[0].space.alignment = alignment;
  return hardware;
}

std::string more(Size bytes) {
  return "needs " + std::to_string(bytes) + (bytes == 1 ? " byte more" : " bytes more");
}

// The oracle is the search itself: with so many bytes more a tile fits, with one less none does.
TEST(TileNeed, IsHowManyBytesMakeTheSmallestTileFit) {
  const Network network = one_convolution();
  for (const Size alignment : {1, 16, 64}) {
    for (const Size capacity : {16, 37, 50, 64, 79, 100}) {
      SCOPED_TRACE(std::to_string(capacity) + " bytes, alignment " + std::to_string(alignment));
      const TileParams params{.ops = {0, 0}};
      const TileReport none = find_largest_tile(network, machine(capacity, alignment), params);
      if (none.status == Status::feasible) continue;
      ASSERT_EQ(none.status, Status::infeasible);
      const Size need = none.lacking;
      ASSERT_GT(need, 0);
      EXPECT_THAT(none.reason, ::testing::HasSubstr(more(need)));
      EXPECT_EQ(find_largest_tile(network, machine(capacity + need, alignment), params).status,
                Status::feasible);
      if (need > 1) {
        EXPECT_EQ(
            find_largest_tile(network, machine(capacity + need - 1, alignment), params).status,
            Status::infeasible);
      }
      const NetworkPlan plan = plan_network(network, machine(capacity, alignment), {});
      ASSERT_EQ(plan.status, Status::infeasible);
      EXPECT_THAT(plan.reason, ::testing::HasSubstr(more(need)));
    }
  }
}

TEST(TileNeed, IsOneByteWhereOneByteIsMissing) {
  const Network network = one_convolution();
  for (const Size alignment : {1, 16}) {
    const TileParams params{.ops = {0, 0}};
    const Size capacity = 16;
    const Size enough =
        capacity + find_largest_tile(network, machine(capacity, alignment), params).lacking;
    const TileReport close = find_largest_tile(network, machine(enough - 1, alignment), params);
    EXPECT_EQ(close.status, Status::infeasible);
    EXPECT_EQ(close.lacking, 1);
    EXPECT_THAT(close.reason, ::testing::HasSubstr("needs 1 byte more than the memory has"));
  }
}

}  // namespace
}  // namespace tessera::planner
