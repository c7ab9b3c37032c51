#include "tessera/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/model/support.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using testing::expect_right;
using ::testing::IsEmpty;
using testing::only;
using ::testing::SizeIs;
using testing::violations;

using Buffers = std::vector<BufferIndex>;

Buffer buffer(std::string id, StepRange live, Size size) {
  return {.id = std::move(id), .live = {live}, .size = size};
}

/// Three buffers that are live together in one memory of 12 bytes.
PlacementProblem three() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 12});
  problem.buffers = {buffer("a", {0, 4}, 4), buffer("b", {1, 5}, 4), buffer("c", {2, 3}, 2)};
  return problem;
}

/// Two memories: `sram` with banks of 4, 4 and 4 bytes, `dram` with 16 bytes and no banks.
PlacementProblem two_banks() {
  PlacementProblem problem = three();
  problem.memories[0].banks = {{"b0", 4, {}}, {"b1", 4, {}}, {"b2", 4, {}}};
  problem.memories.push_back({.name = "dram", .capacity = 16});
  return problem;
}

Placement at(std::vector<Offset> offsets) {
  Placement placement;
  for (const Offset offset : offsets) placement.places.push_back({0, offset});
  return placement;
}

TEST(Check, AcceptsWhatIsRight) {
  expect_right(three(), at({0, 4, 8}));
  expect_right(three(), at({4, 0, 10}));
  PlacementProblem apart = three();
  apart.buffers[1].live = {{4, 6}};  // begins at the step where a ends
  expect_right(apart, at({0, 0, 4}));
  expect_right({.memories = {{.name = "m"}}}, {});
}

TEST(Check, ShapeOnePlacePerBuffer) {
  const Violation wrong = only(three(), at({0, 4}));
  EXPECT_EQ(wrong.rule, Rule::shape);
  EXPECT_EQ(wrong.message, "The placement has 2 buffer(s), but there are 3.");
}

TEST(Check, ShapeKnownMemory) {
  Placement placement = at({0, 4, 8});
  placement.places[1].memory = 7;
  const Violation wrong = only(three(), placement);
  EXPECT_EQ(wrong.rule, Rule::shape);
  EXPECT_EQ(wrong.buffers, Buffers{1});
  EXPECT_EQ(wrong.message, "Buffer 'b' is in memory number 7, but there are only 1.");
}

TEST(Check, AllowedMemory) {
  PlacementProblem problem = two_banks();
  problem.buffers[1].memories = {1};
  const Violation wrong = only(problem, at({0, 4, 8}));
  EXPECT_EQ(wrong.rule, Rule::allowed_memory);
  EXPECT_EQ(wrong.buffers, Buffers{1});
  EXPECT_EQ(wrong.memory, 0U);
  EXPECT_EQ(wrong.message,
            "Buffer 'b' at [4, 8) of memory 'sram' is in a memory that is not allowed for it.");
}

TEST(Check, Bounds) {
  const Violation above = only(three(), at({0, 9, 4}));
  EXPECT_EQ(above.rule, Rule::bounds);
  EXPECT_EQ(above.buffers, Buffers{1});
  EXPECT_EQ(above.message,
            "Buffer 'b' at [9, 13) of memory 'sram' has size 4 and is not inside [0, 12).");
  const Violation below = only(three(), at({-1, 4, 8}));
  EXPECT_EQ(below.rule, Rule::bounds);
  EXPECT_EQ(below.buffers, Buffers{0});
}

TEST(Check, BoundsOfOffsetsThatCannotBeAddedUp) {
  constexpr Offset most = std::numeric_limits<Offset>::max();
  for (const Offset offset : {most, most - 3, -most, -most - 1}) {
    const Violation wrong = only(three(), at({offset, 4, 8}));
    EXPECT_EQ(wrong.rule, Rule::bounds) << offset;
    EXPECT_EQ(wrong.buffers, Buffers{0});
  }
  PlacementProblem unbounded_memory = three();
  unbounded_memory.memories[0].capacity = unbounded;
  EXPECT_EQ(only(unbounded_memory, at({0, unbounded, 8})).rule, Rule::bounds);
  expect_right(unbounded_memory, at({0, unbounded - 4, 8}));
}

TEST(Check, AlignmentIsTheLeastCommonMultiple) {
  PlacementProblem problem = three();
  problem.memories[0].capacity = 30;
  problem.memories[0].alignment = 4;
  problem.buffers[1].alignment = 6;
  expect_right(problem, at({0, 12, 4}));
  const Violation wrong = only(problem, at({0, 18, 4}));  // a multiple of 6, but not of 4
  EXPECT_EQ(wrong.rule, Rule::alignment);
  EXPECT_EQ(wrong.buffers, Buffers{1});
  EXPECT_EQ(wrong.message,
            "Buffer 'b' at [18, 22) of memory 'sram' does not start at a multiple of 12.");
}

TEST(Check, FixedOffset) {
  PlacementProblem problem = three();
  problem.buffers[2].offset = 8;
  expect_right(problem, at({0, 4, 8}));
  const Violation wrong = only(problem, at({0, 4, 9}));
  EXPECT_EQ(wrong.rule, Rule::fixed_offset);
  EXPECT_EQ(wrong.message, "Buffer 'c' at [9, 11) of memory 'sram' is not at its fixed offset 8.");
}

TEST(Check, AHintDoesNotBind) {
  PlacementProblem problem = three();
  problem.buffers[2].hint = 0;
  expect_right(problem, at({0, 4, 8}));
}

TEST(Check, Window) {
  PlacementProblem problem = three();
  problem.buffers[2].window = AddressRange{8, 11};
  expect_right(problem, at({0, 4, 9}));
  const Violation wrong = only(problem, at({0, 4, 10}));
  EXPECT_EQ(wrong.rule, Rule::window);
  EXPECT_EQ(wrong.message,
            "Buffer 'c' at [10, 12) of memory 'sram' is not inside its window [8, 11).");
}

TEST(Check, Reserved) {
  PlacementProblem problem = three();
  problem.memories[0].reserved = {{0, 1}, {10, 12}};
  problem.memories[0].capacity = 14;
  expect_right(problem, at({1, 5, 12}));
  const Violation wrong = only(problem, at({1, 5, 9}));
  EXPECT_EQ(wrong.rule, Rule::reserved);
  EXPECT_EQ(wrong.buffers, Buffers{2});
  EXPECT_EQ(wrong.message,
            "Buffer 'c' at [9, 11) of memory 'sram' touches the reserved range [10, 12).");
}

TEST(Check, ReservedCountsInAGapToo) {
  PlacementProblem problem = three();
  problem.memories[0].reserved = {{0, 1}};
  problem.buffers[0].gaps = {{{0, 4}, AddressRange{1, 4}}};
  EXPECT_EQ(only(problem, at({0, 4, 8})).rule, Rule::reserved);
}

TEST(Check, Overlap) {
  const Violation wrong = only(three(), at({0, 4, 7}));
  EXPECT_EQ(wrong.rule, Rule::overlap);
  EXPECT_EQ(wrong.buffers, (Buffers{1, 2}));
  EXPECT_EQ(wrong.memory, 0U);
  EXPECT_EQ(wrong.step, 2);
  EXPECT_EQ(
      wrong.message,
      "Buffers 'b' at [4, 8) and 'c' at [7, 9) of memory 'sram' both occupy [7, 8) at step 2.");
}

TEST(Check, OverlapNamesEveryPairOnce) {
  PlacementProblem problem = three();
  problem.buffers[0].live = {{0, 2}, {3, 4}};
  std::vector<Buffers> pairs;
  for (const Violation& wrong : violations(problem, at({0, 1, 2}))) {
    EXPECT_EQ(wrong.rule, Rule::overlap);
    pairs.push_back(wrong.buffers);
  }
  EXPECT_THAT(pairs, ::testing::UnorderedElementsAre(Buffers{0, 1}, Buffers{1, 2}));
}

TEST(Check, NoOverlapAcrossMemories) {
  Placement placement = at({0, 0, 0});
  placement.places[1].memory = 1;
  PlacementProblem problem = two_banks();
  problem.buffers[2].live = {{4, 5}};
  expect_right(problem, placement);
}

TEST(Check, SeveralIntervalsLeaveRoomBetween) {
  PlacementProblem problem = three();
  problem.buffers[0].live = {{0, 1}, {5, 9}};
  expect_right(problem, at({4, 4, 8}));
  problem.buffers[0].live = {{0, 1}, {4, 9}};
  const Violation wrong = only(problem, at({4, 4, 8}));
  EXPECT_EQ(wrong.rule, Rule::overlap);
  EXPECT_EQ(wrong.step, 4);
}

TEST(Check, GapsLeaveRoom) {
  PlacementProblem problem = three();
  problem.buffers[0].gaps = {{{1, 4}, std::nullopt}};
  expect_right(problem, at({4, 4, 8}));
  problem.buffers[0].gaps = {{{1, 4}, AddressRange{0, 1}}};
  expect_right(problem, at({3, 4, 8}));
  const Violation wrong = only(problem, at({4, 4, 8}));
  EXPECT_EQ(wrong.rule, Rule::overlap);
  EXPECT_EQ(wrong.step, 1);
  EXPECT_EQ(
      wrong.message,
      "Buffers 'a' at [4, 8) and 'b' at [4, 8) of memory 'sram' both occupy [4, 5) at step 1.");
}

TEST(Check, ExemptPairsMayOverlapButNobodyElse) {
  PlacementProblem problem = three();
  problem.relations = {{RelationKind::may_overlap, {0, 1}, 0}};
  expect_right(problem, at({0, 2, 6}));
  const Violation wrong = only(problem, at({0, 2, 5}));
  EXPECT_EQ(wrong.rule, Rule::overlap);
  EXPECT_EQ(wrong.buffers, (Buffers{1, 2}));
}

TEST(Check, ExemptionIsNotTransitive) {
  PlacementProblem problem = three();
  problem.relations = {{RelationKind::may_overlap, {0, 1}, 0},
                       {RelationKind::may_overlap, {1, 2}, 0}};
  const Violation wrong = only(problem, at({0, 0, 0}));
  EXPECT_EQ(wrong.rule, Rule::overlap);
  EXPECT_EQ(wrong.buffers, (Buffers{0, 2}));
}

TEST(Check, Straddle) {
  PlacementProblem problem = two_banks();
  expect_right(problem, at({0, 4, 10}));
  problem.buffers[0].live = {{5, 6}};
  expect_right(problem, at({0, 8, 3}));
  problem.memories[0].straddle = false;
  const Violation wrong = only(problem, at({0, 8, 3}));
  EXPECT_EQ(wrong.rule, Rule::straddle);
  EXPECT_EQ(wrong.buffers, Buffers{2});
  EXPECT_EQ(wrong.bank, 0U);
  EXPECT_EQ(wrong.message,
            "Buffer 'c' at [3, 5) of memory 'sram' crosses the border at 4 behind bank 'b0', which "
            "this memory does not allow.");
}

TEST(Heights, ArePerMemory) {
  Placement placement = at({0, 6, 9});
  placement.places[2].memory = 1;
  EXPECT_THAT(heights(two_banks(), placement), ElementsAre(10, 11));
  EXPECT_THAT(heights(two_banks(), at({0, 4, 8})), ElementsAre(10, 0));
}

TEST(SoftCost, CountsPairsWhateverTheirLifetimes) {
  PlacementProblem problem = two_banks();
  problem.buffers[2].live = {{9, 10}};
  problem.relations = {{RelationKind::avoid_overlap, {0, 1, 2}, 5},
                       {RelationKind::avoid_overlap, {2, 1}, 2},
                       {RelationKind::disjoint, {0, 1}, 0}};
  EXPECT_EQ(soft_cost(problem, at({0, 4, 8})), 0);
  EXPECT_EQ(soft_cost(problem, at({0, 4, 0})), 5);
  EXPECT_EQ(soft_cost(problem, at({0, 4, 3})), 12);
  Placement elsewhere = at({0, 4, 3});
  elsewhere.places[2].memory = 1;
  EXPECT_EQ(soft_cost(problem, elsewhere), 0);
  expect_right(problem, at({0, 4, 3}));  // a cost is no violation
}

TEST(Check, CountsAlignmentFromTheBase) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 64, .base = 0x20000004});
  problem.buffers.push_back(buffer("a", {0, 1}, 8));
  problem.buffers.front().alignment = 16;
  expect_right(problem, at({12}));
  const std::vector<Violation> wrong = check(problem, at({16}));
  ASSERT_THAT(wrong, SizeIs(1));
  EXPECT_EQ(wrong.front().rule, Rule::alignment);
  EXPECT_THAT(wrong.front().message, ::testing::HasSubstr("address 536870932"));
}

TEST(Check, StopsAtTheLimit) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 4});
  for (int k = 0; k < 50; ++k)
    problem.buffers.push_back(buffer("b" + std::to_string(k), {0, 1}, 8));
  const Placement placement = at(std::vector<Offset>(50, 0));
  EXPECT_THAT(check(problem, placement), SizeIs(100));
  EXPECT_THAT(check(problem, placement, 7), SizeIs(7));
  EXPECT_THAT(check(problem, placement, 10'000), SizeIs(50 + 50 * 49 / 2));
}

}  // namespace
}  // namespace tessera
