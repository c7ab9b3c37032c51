// The examples of the paper, and its definition of "better".
#include "search/offchip/taa.h"

#include <gtest/gtest.h>

#include "model/buffer_parts.h"
#include "search/offchip/shared_objects.h"
#include "search/offchip/weave.h"
#include "tessera/check.h"

namespace tessera::search {
namespace {

/// Rows [from, from + rows) of every channel of a tensor of 4 x 128 x 128 bytes.
BufferPart rows(StepRange live, Offset from, Size rows) {
  return {.live = {live}, .offset = from * 128, .size = rows * 128, .repeat = {{4, 128 * 128}}};
}

TEST(Taa, ATileOfHalfTheRowsIsFourRuns) {
  const std::vector<AddressRange> expected{
      {0, 8192}, {16384, 24576}, {32768, 40960}, {49152, 57344}};
  EXPECT_EQ(runs(rows({0, 1}, 0, 64)), expected);
}

TEST(Taa, CollisionSizeIsTheWayPastThePlacedRun) {
  const std::vector<AddressRange> tile = runs(rows({0, 1}, 0, 64));
  EXPECT_EQ(collision_size(tile, 0, tile, 128, TaaStep::past), 8064);
  EXPECT_EQ(collision_size(tile, 0, tile, 8192, TaaStep::past), 0);
  EXPECT_EQ(collision_size(tile, 8191, tile, 0, TaaStep::past), 16383);
}

TEST(Taa, OrTheBytesThatBothRunsShare) {
  const std::vector<AddressRange> tile = runs(rows({0, 1}, 0, 64));
  EXPECT_EQ(collision_size(tile, 0, tile, 128, TaaStep::overlap), 8064);
  EXPECT_EQ(collision_size(tile, 8191, tile, 0, TaaStep::overlap), 1);
}

/// An input whose four tiles are freed one after the other, and an output that grows meanwhile.
PlacementProblem tile_by_tile() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "dram"});
  Buffer input{.id = "I", .live = {{0, 5}}, .size = 4 * 128 * 128};
  Buffer output{.id = "O", .live = {{2, 7}}, .size = 4 * 128 * 128};
  for (Step k = 0; k < 4; ++k) {
    input.parts.push_back(rows({0, k + 2}, 32 * k, 32));
    output.parts.push_back(rows({k + 2, 7}, 32 * k, 32));
  }
  problem.buffers = {input, output};
  return problem;
}

TEST(Taa, AnOutputTakesTheRoomOfTheInputThatItReplaces) {
  const PlacementProblem problem = tile_by_tile();
  for (const TaaStep step : {TaaStep::past, TaaStep::overlap}) {
    const TaaResult taa = tile_aware_allocation(problem, {.step = step});
    ASSERT_TRUE(taa.placement);
    EXPECT_TRUE(check(problem, *taa.placement).empty());
    EXPECT_EQ(taa.placement->places[1].offset, 0);
    EXPECT_EQ(taa.heights.front(), 4 * 128 * 128);
  }
  const SharedObjects whole = shared_objects(problem);
  ASSERT_TRUE(whole.placement);
  EXPECT_EQ(whole.heights.front(), 2 * 4 * 128 * 128);
}

TEST(Weave, FindsTheGapThatMovingByTheOverlapJumpsOver) {
  // The third goes between the rows of the first; moved by the overlap only, it would end after
  // both.
  PlacementProblem problem;
  problem.memories.push_back({.name = "dram"});
  problem.buffers.push_back({.id = "comb",
                             .live = {{0, 2}},
                             .size = 90,
                             .parts = {{.live = {{0, 2}}, .size = 10, .repeat = {{5, 20}}}}});
  problem.buffers.push_back({.id = "teeth",
                             .live = {{0, 2}},
                             .size = 80,
                             .parts = {{.live = {{0, 2}}, .size = 10, .repeat = {{4, 20}}}}});
  const WeaveResult low = weave(problem, {.targets = {90}});
  ASSERT_TRUE(low.placement);
  EXPECT_TRUE(check(problem, *low.placement).empty());
  EXPECT_EQ(low.heights.front(), 90);
}

TEST(Weave, WithoutACapacityTheEngineSearchesForTheLeastHeight) {
  const PlacementProblem problem = tile_by_tile();
  const engine::SearchResult found = make_weave_engine()->solve(problem, {});
  ASSERT_EQ(found.status, Status::feasible);
  ASSERT_TRUE(found.placement);
  EXPECT_TRUE(check(problem, *found.placement).empty());
  for (const BufferPlace& place : found.placement->places) EXPECT_EQ(place.offset, 0);
}

TEST(Weave, NeverTouchesWhatIsReservedOrFixed) {
  PlacementProblem problem = tile_by_tile();
  problem.memories.front().reserved = {{100, 200}};
  problem.memories.front().capacity = 400'000;
  problem.buffers[0].offset = 70'000;
  const WeaveResult low = weave(problem);
  ASSERT_TRUE(low.placement);
  EXPECT_TRUE(check(problem, *low.placement).empty());
  problem.memories.front().capacity = 70'000;
  EXPECT_FALSE(weave(problem).placement);
}

}  // namespace
}  // namespace tessera::search
