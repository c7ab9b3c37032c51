#include "io/minimalloc_csv.h"

#include "support.h"

namespace tessera::io {
namespace {

using ::testing::HasSubstr;

MinimallocTable read_table(const std::string& text) {
  return read_minimalloc_csv(text, "in.csv");
}

MinimallocProblem problem_of(const std::string& text, Size capacity = 100) {
  return minimalloc_problem(read_table(text), capacity, "in.csv");
}

using Gaps = std::vector<std::pair<StepRange, std::optional<AddressRange>>>;

/// The gaps of the only buffer, live in [0, 10) with 8 bytes, for this cell.
Gaps gaps_of(const std::string& cell) {
  // Steps of a problem are ranks: a buffer at every step makes ranks equal to steps.
  std::string text = "id,lower,upper,size,gaps\nx,0,10,8," + cell + "\n";
  for (int step = 0; step < 10; ++step)
    text += "s," + std::to_string(step) + "," + std::to_string(step + 1) + ",1,\n";
  const MinimallocProblem asked = problem_of(text);
  Gaps gaps;
  for (const Gap& gap : asked.problem.buffers.front().gaps)
    gaps.emplace_back(gap.steps, gap.window);
  return gaps;
}

TEST(MinimallocCsv, GapsAreSortedCutAndJoined) {
  const std::optional<AddressRange> nothing;
  EXPECT_EQ(gaps_of(""), Gaps{});
  EXPECT_EQ(gaps_of("2-4"), (Gaps{{{2, 4}, nothing}}));
  EXPECT_EQ(gaps_of("6-8 2-4"), (Gaps{{{2, 4}, nothing}, {{6, 8}, nothing}}));
  EXPECT_EQ(gaps_of("2-4 4-6@1:3"), (Gaps{{{2, 4}, nothing}, {{4, 6}, AddressRange{1, 3}}}));
  EXPECT_EQ(gaps_of("8-20"), (Gaps{{{8, 10}, nothing}}));
  EXPECT_EQ(gaps_of("20-30"), Gaps{});
  EXPECT_EQ(gaps_of("4-4 6-5"), Gaps{});
  EXPECT_EQ(gaps_of("2-4@3:3"), (Gaps{{{2, 4}, nothing}}));
  EXPECT_EQ(gaps_of("2-4@0:8"), Gaps{});
  // The end of the first gap ends the second as well.
  EXPECT_EQ(gaps_of("2-5 3-8"), (Gaps{{{2, 3}, nothing}, {{3, 5}, nothing}}));
}

TEST(MinimallocCsv, OnlyTheOrderOfStepsCounts) {
  const MinimallocProblem asked =
      problem_of("id,lower,upper,size\na,-9223372036854775808,-7,1\nb,-7,9223372036854775807,2\n");
  EXPECT_EQ(asked.problem.buffers[0].live.front(), (StepRange{0, 1}));
  EXPECT_EQ(asked.problem.buffers[1].live.front(), (StepRange{1, 2}));
}

TEST(MinimallocCsv, NamesThatCannotBeNamesAreLines) {
  const MinimallocProblem asked = problem_of(
      "id,lower,upper,size\nline 3,0,1,1\n,0,1,1\nline "
      "3,0,1,1\n\xc3\xbc,0,1,1\n\x1b,0,1,1\n\xc3,0,1,1\n");
  std::vector<std::string> names;
  for (const Buffer& buffer : asked.problem.buffers) names.push_back(buffer.id);
  EXPECT_EQ(names, (std::vector<std::string>{"line 3", "line 3+", "line 4", "\xc3\xbc", "line 6",
                                             "line 7"}));
}

TEST(MinimallocCsv, BuffersWithoutBytesStayOut) {
  const MinimallocTable table =
      read_table("id,lower,upper,size,offset\na,0,1,0,\nb,0,1,4,\nc,0,1,0,7\n");
  const MinimallocProblem asked = minimalloc_problem(table, 10, "in.csv");
  ASSERT_EQ(asked.problem.buffers.size(), 1U);
  const std::vector<Offset> offsets = offsets_of(asked, {.places = {{0, 5}}, .modes = {}});
  EXPECT_EQ(offsets, (std::vector<Offset>{0, 5, 7}));
  EXPECT_EQ(write_minimalloc_csv(table, offsets),
            "id,lower,upper,size,offset\na,0,1,0,0\nb,0,1,4,5\nc,0,1,0,7\n");
}

TEST(MinimallocCsv, WritesWhatWasReadInItsOwnColumns) {
  const MinimallocTable table = read_table(
      "gaps,hint,alignment,buffer,start,end,size\n5-6 2-2@1:3,16,8,a,0,8,8\n,-7,1,b, 3,+5,8\n");
  EXPECT_EQ(write_minimalloc_csv(table, {0, 8}),
            "id,lower,upper,size,alignment,hint,gaps,offset\n"
            "a,0,9,8,8,16,5-7 2-3@1:3,0\nb,3,6,8,1,-1,,8\n");
}

TEST(MinimallocCsv, RefusesWithTheLine) {
  EXPECT_REFUSED(read_table("id,lower,upper\n"), 1, "`size`");
  EXPECT_REFUSED(read_table("id,lower,upper,size,end\n"), 1, "has the same meaning");
  EXPECT_REFUSED(read_table("id,lower,upper,size\na,0,1,1\nb,0,1\n"), 3, "has 3 fields");
  EXPECT_REFUSED(read_table("id,lower,upper,size\na,0,1,1e3\n"), 2, "not a whole number");
  EXPECT_REFUSED(read_table("id,lower,upper,size\na,0,1,99999999999999999999\n"), 2, "64 bits");
  EXPECT_REFUSED(read_table("id,lower,upper,size\na,1,1,1\n"), 2, "no step before its end");
  EXPECT_REFUSED(problem_of("id,lower,upper,size\na,0,1,1152921504606846976\nb,0,1,1\n"), 3, "sum");
}

TEST(MinimallocCsv, DrawsWhatIsOccupied) {
  const std::string text =
      minimalloc_tikz(read_table("id,lower,upper,size,gaps\na_\\,0,17,2,1-4@1:2 8-9\n"), 17, {15});
  EXPECT_THAT(text, HasSubstr("(1.0000,8.0000) rectangle (4.0000,8.5000)"));
  EXPECT_THAT(text, HasSubstr("(4.0000,7.5000) rectangle (8.0000,8.5000)"));
  EXPECT_THAT(text, HasSubstr("(9.0000,7.5000) rectangle (17.0000,8.5000)"));
  EXPECT_THAT(text, HasSubstr("{a\\_\\textbackslash{}}"));
}

}  // namespace
}  // namespace tessera::io
