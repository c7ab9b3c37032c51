#include "model/buffer_parts.h"

#include <gtest/gtest.h>

#include "model/differences.h"
#include "tessera/check.h"
#include "tessera/validate.h"

namespace tessera {
namespace {

Buffer with(std::vector<BufferPart> parts, Size size = 100) {
  return {.id = "t", .live = {{0, 10}}, .size = size, .parts = std::move(parts)};
}

PlacementProblem of(std::vector<Buffer> buffers, Size capacity = 1000) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  problem.buffers = std::move(buffers);
  return problem;
}

std::string wrong_with(const BufferPart& part) {
  const std::vector<Defect> defects = validate(of({with({part})}));
  return defects.empty() ? "" : defects.front().message;
}

TEST(BufferParts, RunsNestAndJoin) {
  const BufferPart part{.live = {{0, 1}}, .offset = 1, .size = 2, .repeat = {{2, 2}, {2, 10}}};
  EXPECT_EQ(runs(part), (std::vector<AddressRange>{{1, 5}, {11, 15}}));
  EXPECT_EQ(extent(part), (AddressRange{1, 15}));
  EXPECT_EQ(run_count(part), 4);
}

TEST(BufferParts, LoadsCountEachByteOnce) {
  const Buffer buffer = with({{.live = {{0, 4}}, .offset = 0, .size = 10},
                              {.live = {{2, 6}}, .offset = 5, .size = 10},
                              {.live = {{2, 3}}, .offset = 50, .size = 1}});
  const std::vector<Load> found = loads(buffer);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].bytes, 10);
  EXPECT_EQ(found[1].bytes, 16);
  EXPECT_FALSE(found[1].in_one_piece());
  EXPECT_EQ(found[2].bytes, 15);
  EXPECT_EQ(found[3].steps, (StepRange{4, 6}));
  EXPECT_EQ(used_size(buffer), 16);
}

TEST(BufferParts, WhatIsWrongIsSaid) {
  EXPECT_EQ(wrong_with({.live = {{0, 2}}, .offset = 0, .size = 10}), "");
  EXPECT_EQ(wrong_with({.live = {}, .offset = 0, .size = 10}),
            "buffer 't' has part 0 without a live interval.");
  EXPECT_EQ(wrong_with({.live = {{5, 11}}, .offset = 0, .size = 10}),
            "buffer 't' has part 0 with live interval [5, 11), which is not inside its own.");
  EXPECT_EQ(wrong_with({.live = {{0, 2}}, .offset = 95, .size = 10}),
            "buffer 't' has part 0 that is not inside [0, 100).");
  EXPECT_EQ(wrong_with({.live = {{0, 2}}, .offset = -1, .size = 10}),
            "buffer 't' has part 0 that is not inside [0, 100).");
  EXPECT_EQ(
      wrong_with({.live = {{0, 2}}, .size = 1, .repeat = {{2, max_address}, {2, max_address}}}),
      "buffer 't' has part 0 that is not inside [0, 100).");
  EXPECT_EQ(wrong_with({.live = {{0, 2}}, .size = 1, .repeat = {{0, 4}}}),
            "buffer 't' has part 0 that repeats [0, 4]: a count and a stride, both at least 1.");
  EXPECT_EQ(wrong_with({.live = {{0, 2}}, .size = 1, .repeat = {{2'000'000, 1}, {2'000'000, 1}}}),
            "buffer 't' has part 0 that is not inside [0, 100).");
}

TEST(BufferParts, GapsAndPartsDoNotGoTogether) {
  Buffer buffer = with({{.live = {{0, 2}}, .size = 10}});
  buffer.gaps.push_back({{3, 4}, std::nullopt});
  const std::vector<Defect> defects = validate(of({buffer}));
  ASSERT_EQ(defects.size(), 1U);
  EXPECT_EQ(defects.front().field, "parts");
}

TEST(BufferParts, TooManyPiecesAreRefusedBeforeTheyAreListed) {
  Buffer buffer = with({}, 3'000);
  buffer.live = {{0, 4'000}};
  for (Step k = 0; k < 2'000; ++k)  // each is live during all that follow
    buffer.parts.push_back({.live = {{k, 4'000 - k}}, .offset = k, .size = 1});
  const std::vector<Defect> defects = validate(of({buffer}, 5'000));
  ASSERT_EQ(defects.size(), 1U);
  EXPECT_NE(defects.front().message.find("above 2000000 runs"), std::string::npos)
      << defects.front().message;
}

/// A planar tensor of `channels` planes of 32 rows of 100 bytes, written and read in 16 strips, of
/// which each next one reads a row of the strip before.
Buffer planar(std::string id, Step from, std::int64_t channels) {
  constexpr Size plane = 3'200;
  Buffer tensor{.id = std::move(id), .live = {{from, from + 32}}, .size = channels * plane};
  for (Step k = 0; k < 16; ++k)
    for (const Step row : {Step{0}, Step{1}})
      tensor.parts.push_back({.live = {{from + k, from + 16 + k + row}},
                              .offset = (2 * k + row) * 100,
                              .size = 100,
                              .repeat = {{channels, plane}}});
  return tensor;
}

TEST(BufferParts, CopiesOfAPeriodAreNotListed) {
  constexpr std::int64_t channels = 100'000;
  std::vector<Buffer> tensors;
  for (Step k = 0; k < 20; ++k)
    tensors.push_back(planar("t" + std::to_string(k), 16 * k, channels));
  PlacementProblem problem = of(tensors, 20 * channels * 3'200);
  EXPECT_TRUE(validate(problem).empty());
  Placement placement{.modes = {{}}};
  for (Offset k = 0; k < 20; ++k) placement.places.push_back({0, k % 2 * channels * 3'200});
  EXPECT_TRUE(check(problem, placement).empty());
  // The last plane of t0 and the first of t1. Row 0 of t0 is dead at step 16.
  placement.places[1].offset -= 3'200;
  const std::vector<Violation> found = check(problem, placement);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().buffers, (std::vector<BufferIndex>{0, 1}));
  EXPECT_NE(found.front().message.find("both occupy [319996900, 319997000) at step 16"),
            std::string::npos)
      << found.front().message;
  ASSERT_EQ(loads(tensors[0]).size(), 32U);
  EXPECT_EQ(loads(tensors[0])[15].bytes, channels * 3'200);
  EXPECT_EQ(used_bytes(tensors[0]), (std::vector<AddressRange>{{0, channels * 3'200}}));
}

TEST(BufferParts, PlanesWithGapsAreListed) {
  Buffer tensor = with({{.live = {{0, 2}}, .size = 1, .repeat = {{2'000'001, 2}}}}, 5'000'000);
  const std::vector<Defect> defects = validate(of({tensor}, 5'000'000));
  ASSERT_EQ(defects.size(), 1U);
  EXPECT_NE(defects.front().message.find("above 2000000 runs"), std::string::npos)
      << defects.front().message;
}

TEST(BufferParts, EqualStridesAreNotListed) {
  // A million rows each, at one distance: the number of differences is the same, not a million
  // times larger, and adjacent rows merge to one.
  const Buffer a = with({{.live = {{0, 1}}, .size = 3, .repeat = {{1'000'000, 8}}}}, 8'000'000);
  const Buffer b = with({{.live = {{0, 1}}, .size = 6, .repeat = {{1'000'000, 8}}}}, 8'000'000);
  Poll poll;
  const Differences all = forbidden_differences(a, b, poll);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front(), (AddressRange{-8 * 999'999 - 5, 8 * 999'999 + 3}));
}

TEST(BufferParts, TheCheckerNamesTheBytesThatMeet) {
  const PlacementProblem problem = of({with({{.live = {{0, 4}}, .size = 10, .repeat = {{3, 20}}}}),
                                       {.id = "u", .live = {{3, 5}}, .size = 10}});
  Placement placement{.places = {{0, 0}, {0, 10}}, .modes = {{}}};
  EXPECT_TRUE(check(problem, placement).empty());
  placement.places[1].offset = 15;
  const std::vector<Violation> found = check(problem, placement);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().rule, Rule::overlap);
  EXPECT_NE(found.front().message.find("both occupy [20, 25) at step 3"), std::string::npos)
      << found.front().message;
}

}  // namespace
}  // namespace tessera
