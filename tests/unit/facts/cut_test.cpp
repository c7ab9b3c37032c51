#include "facts/cut.h"

#include <gtest/gtest.h>

#include "model/claim_problem.h"
#include "tessera/claim.h"

namespace tessera::facts {
namespace {

PlacementProblem problem_of(std::vector<Buffer> buffers, Size capacity) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  problem.buffers = std::move(buffers);
  for (std::size_t b = 0; b < problem.buffers.size(); ++b)
    problem.buffers[b].id = std::string(1, static_cast<char>('a' + b));
  return problem;
}

TEST(Cut, NamesAsFewBuffersAsTheLoadNeeds) {
  const auto cut = find_cut(problem_of({{.live = {{0, 2}}, .size = 6},
                                        {.live = {{1, 3}}, .size = 5},
                                        {.live = {{1, 2}}, .size = 1},
                                        {.live = {{4, 5}}, .size = 9}},
                                       10));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->step, 1);
  EXPECT_EQ(cut->buffers, (std::vector<BufferIndex>{0, 1}));
  EXPECT_EQ(cut->asked, 11);
  EXPECT_EQ(cut->available, 10);
}

TEST(Cut, FindsNothingWhereAddingUpIsNotEnough) {
  EXPECT_FALSE(
      find_cut(problem_of({{.live = {{0, 2}}, .size = 5}, {.live = {{1, 3}}, .size = 5}}, 10)));
  EXPECT_FALSE(find_cut(problem_of({}, unbounded)));
}

// Three times 5 bytes at multiples of 4: 8 + 8 + 5.
TEST(Cut, AlignmentRoundsUpAllButTheHighest) {
  const std::vector<Buffer> three(3, {.live = {{0, 1}}, .size = 5, .alignment = 4});
  EXPECT_FALSE(find_cut(problem_of(three, 21)));
  const auto cut = find_cut(problem_of(three, 20));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->grain, 4);
  EXPECT_EQ(cut->asked, 21);
  // In two stretches two of them are the highest, and the second stretch begins at 12.
  PlacementProblem reserved = problem_of(three, 25);
  reserved.memories[0].reserved = {{10, 11}};
  EXPECT_FALSE(find_cut(reserved));
}

TEST(Cut, ABufferLargerThanItsWindow) {
  PlacementProblem problem =
      problem_of({{.live = {{0, 1}}, .size = 4, .window = AddressRange{4, 7}}}, 12);
  const auto cut = find_cut(problem);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->range, (AddressRange{4, 7}));
  EXPECT_EQ(describe(problem, *cut), "At step 0, 1 buffer needs 4 bytes, but m has 3 in [4, 7).");
  problem.buffers[0].window->end = 8;
  EXPECT_FALSE(find_cut(problem));
}

TEST(Cut, BuffersConfinedToOneWindow) {
  const std::vector<Buffer> two(2, {.live = {{0, 1}}, .size = 4, .window = AddressRange{2, 9}});
  const auto cut = find_cut(problem_of(two, 100));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->range, (AddressRange{2, 9}));
  EXPECT_EQ(cut->available, 7);
}

TEST(Cut, AllMemoriesTogether) {
  PlacementProblem problem = problem_of(
      {{.live = {{0, 1}}, .size = 4}, {.live = {{0, 1}}, .size = 4}, {.live = {{0, 1}}, .size = 4}},
      6);
  problem.memories.push_back({.name = "n", .capacity = 5});
  const auto cut = find_cut(problem);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->memories, (std::vector<MemoryIndex>{0, 1}));
  problem.memories[1].capacity = 6;
  EXPECT_FALSE(find_cut(problem));
}

TEST(Cut, OfBuffersThatMayOverlapOneCounts) {
  PlacementProblem problem = problem_of(
      {{.live = {{0, 1}}, .size = 6}, {.live = {{0, 1}}, .size = 6}, {.live = {{0, 1}}, .size = 5}},
      11);
  problem.relations.push_back({RelationKind::may_overlap, {0, 1}, 0});
  EXPECT_FALSE(find_cut(problem));
  problem.memories[0].capacity = 10;
  EXPECT_TRUE(find_cut(problem));
}

TEST(Cut, HoldsForAHeightOfOne) {
  const PlacementProblem problem = problem_of({{.live = {{0, 1}}, .size = 1}}, 4);
  EXPECT_FALSE(find_cut(problem));
  EXPECT_TRUE(find_cut(counterexample_problem(problem, {ClaimKind::height, {0}, 1})));
}

}  // namespace
}  // namespace tessera::facts
