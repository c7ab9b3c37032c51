#include "tiling/tensor_lives.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/random.h"

namespace tessera::tiling {
namespace {

using testing::Random;

Box box(std::vector<Span> spans) {
  Box result;
  result.rank = spans.size();
  result.none = false;
  for (std::size_t axis = 0; axis < spans.size(); ++axis) result[axis] = spans[axis];
  return result;
}

TEST(TensorLives, RowsDieOneAfterTheOther) {
  // Two channels of 8 rows of 10 bytes; a window of 3 reads one row of the next tile.
  const std::vector<BoxAccess> accesses{{0, box({{0, 2}, {0, 4}, {0, 10}})},
                                        {1, box({{0, 2}, {4, 8}, {0, 10}})},
                                        {4, box({{0, 2}, {0, 5}, {0, 10}})},
                                        {6, box({{0, 2}, {3, 8}, {0, 10}})}};
  const std::vector<BufferPart> parts = lives_of({2, 8, 10}, 1, accesses, {});
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].live.front(), (StepRange{0, 5}));  // rows 0 to 2
  EXPECT_EQ(parts[0].size, 30);
  EXPECT_EQ(parts[0].repeat, (std::vector<Repeat>{{2, 80}}));
  EXPECT_EQ(parts[1].live.front(), (StepRange{0, 7}));  // row 3
  EXPECT_EQ(parts[1].offset, 30);
  EXPECT_EQ(parts[2].live.front(), (StepRange{1, 7}));  // rows 4 to 7
  EXPECT_EQ(parts[2].size, 40);
}

TEST(TensorLives, InputsAreThereFromTheStartAndResultsToTheEnd) {
  const std::vector<BoxAccess> accesses{{3, box({{0, 4}})}, {5, box({{4, 8}})}};
  const std::vector<BufferPart> input = lives_of({8}, 2, accesses, {.from = 0});
  ASSERT_EQ(input.size(), 2U);
  EXPECT_EQ(input[0].live.front(), (StepRange{0, 4}));
  EXPECT_EQ(input[0].size, 8);
  EXPECT_EQ(input[1].live.front(), (StepRange{0, 6}));
  const std::vector<BufferPart> result = lives_of({8}, 2, accesses, {.to = 9});
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0].live.front(), (StepRange{3, 9}));
  EXPECT_EQ(result[1].live.front(), (StepRange{5, 9}));
}

TEST(TensorLives, WhatNobodyTouchesIsNotThere) {
  const std::vector<BufferPart> parts =
      lives_of({4, 4}, 1, std::vector<BoxAccess>{{2, box({{1, 2}, {0, 4}})}}, {});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].offset, 4);
  EXPECT_EQ(parts[0].size, 4);
}

TEST(TensorLives, TooManyCellsAreTakenAsAWhole) {
  std::vector<BoxAccess> accesses;
  for (Step k = 0; k < 400; ++k) accesses.push_back({k, box({{k, k + 1}, {k, k + 1}})});
  EXPECT_TRUE(lives_of({400, 400}, 1, accesses, {}).empty());
}

TEST(TensorLives, EveryByteLivesFromItsFirstToItsLastUse) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<Dim> shape;
    for (std::int64_t k = random.between(1, 3); k > 0; --k) shape.push_back(random.between(1, 5));
    const Size element = random.between(1, 2);
    std::vector<BoxAccess> accesses;
    std::map<Size, StepRange> expected;  // by byte
    Step step = 0;
    for (std::int64_t k = random.between(1, 6); k > 0; --k, step += random.between(0, 2)) {
      std::vector<Span> spans;
      for (const Dim extent : shape) {
        const Dim begin = random.between(0, extent - 1);
        spans.push_back({begin, random.between(begin + 1, extent)});
      }
      accesses.push_back({step, box(spans)});
      std::vector<Dim> at;
      for (const Span& span : spans) at.push_back(span.begin);
      for (bool more = true; more;) {
        Size index = 0;
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
          index = index * shape[axis] + at[axis];
        for (Size byte = index * element; byte < (index + 1) * element; ++byte)
          expected.try_emplace(byte, StepRange{step, step}).first->second.upper = step + 1;
        more = false;
        for (std::size_t axis = shape.size(); axis-- > 0 && !more;) {
          more = ++at[axis] < spans[axis].end;
          if (!more) at[axis] = spans[axis].begin;
        }
      }
    }
    std::map<Size, StepRange> found;
    for (const BufferPart& part : lives_of(shape, element, accesses, {})) {
      std::vector<Offset> starts{part.offset};
      for (const Repeat& repeat : part.repeat) {
        const std::vector<Offset> inner = starts;
        for (std::int64_t k = 1; k < repeat.count; ++k)
          for (const Offset start : inner) starts.push_back(start + k * repeat.stride);
      }
      for (const Offset start : starts)
        for (Offset byte = start; byte < start + part.size; ++byte)
          ASSERT_TRUE(found.emplace(byte, part.live.front()).second) << byte << " is there twice";
    }
    ASSERT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace tessera::tiling
