#include "io/buffer_csv.h"

#include <chrono>

#include "io/problem_yaml.h"
#include "tests/support/paths.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

BufferCsv read(std::string text, Lifetimes lifetimes = Lifetimes::by_header) {
  return read_buffer_csv(std::move(text), "t.csv", lifetimes);
}

TEST(BufferCsv, ReadsTheFormatOfMinimalloc) {
  const PlacementProblem problem = read("id,lower,upper,size\nb1,0,3,4\nb2,3,9,8\n").problem;
  ASSERT_EQ(problem.buffers.size(), 2U);
  EXPECT_EQ(problem.buffers[0].id, "b1");
  EXPECT_THAT(problem.buffers[0].live, ElementsAre(StepRange{0, 3}));
  EXPECT_EQ(problem.buffers[1].size, 8);
  EXPECT_EQ(problem.buffers[1].alignment, 1);
  EXPECT_FALSE(problem.buffers[1].offset);
  ASSERT_EQ(problem.memories.size(), 1U);
  EXPECT_EQ(problem.memories[0].capacity, unbounded);
}

TEST(BufferCsv, TakesColumnsInAnyOrderAndUnderTheirOtherNames) {
  const PlacementProblem problem =
      read("hint,size,alignment,start,offset,end,buffer_id\n8,16 KiB,64,1,128,4,x\n,1,2,0,,0,y\n")
          .problem;
  const Buffer& x = problem.buffers[0];
  EXPECT_EQ(x.id, "x");
  EXPECT_EQ(x.size, 16384);
  EXPECT_EQ(x.alignment, 64);
  EXPECT_THAT(x.live, ElementsAre(StepRange{1, 5})) << "`end` is inclusive";
  EXPECT_EQ(x.offset, 128);
  EXPECT_EQ(x.hint, 8);
  const Buffer& y = problem.buffers[1];
  EXPECT_EQ(y.offset, std::nullopt) << "an empty cell means none";
  EXPECT_EQ(y.hint, std::nullopt);
  EXPECT_THAT(y.live, ElementsAre(StepRange{0, 1}));
}

TEST(BufferCsv, LifetimesCanBeReadTheOtherWay) {
  EXPECT_THAT(read("id,lower,upper,size\na,1,3,4\n", Lifetimes::inclusive).problem.buffers[0].live,
              ElementsAre(StepRange{1, 4}));
  EXPECT_THAT(read("id,lower,end,size\na,1,3,4\n", Lifetimes::half_open).problem.buffers[0].live,
              ElementsAre(StepRange{1, 3}));
  EXPECT_THAT(read("id,lower,end,size\na,1,1,4\n").problem.buffers[0].live,
              ElementsAre(StepRange{1, 2}));
}

TEST(BufferCsv, ReadsGaps) {
  const Buffer half_open =
      read("id,lower,upper,size,gaps\na,0,20,8, 9-12@0:4  2-5 \n").problem.buffers[0];
  ASSERT_EQ(half_open.gaps.size(), 2U);
  EXPECT_EQ(half_open.gaps[0].steps, (StepRange{2, 5})) << "sorted by time";
  EXPECT_FALSE(half_open.gaps[0].window);
  EXPECT_EQ(half_open.gaps[1].window, (AddressRange{0, 4}));
  const Buffer inclusive = read("id,lower,end,size,gaps\na,0,20,8,2-5\n").problem.buffers[0];
  EXPECT_EQ(inclusive.gaps[0].steps, (StepRange{2, 6})) << "gap ends are inclusive with `end`";
}

TEST(BufferCsv, AcceptsBomAndCrLfAndBlanksAndNoFinalNewline) {
  const BufferCsv csv = read("\xEF\xBB\xBFid,lower , upper,size\r\n a ,0,3,\t4\r\nb,0,3,4");
  ASSERT_EQ(csv.problem.buffers.size(), 2U);
  EXPECT_EQ(csv.problem.buffers[0].id, "a");
  EXPECT_THAT(csv.source.buffers, ElementsAre(2, 3));
  EXPECT_EQ(read("id,lower,upper,size\na,0,1,4\n\n  \r\n\n").problem.buffers.size(), 1U)
      << "blank lines at the end";
}

TEST(BufferCsv, AcceptsIdsOfAnyLanguage) {
  const PlacementProblem problem = read(
                                       "id,lower,upper,size\ngr\xC3\xB6\xC3\x9F"
                                       "e \xE2\x88\x91,0,1,4\n")
                                       .problem;
  EXPECT_EQ(problem.buffers[0].id,
            "gr\xC3\xB6\xC3\x9F"
            "e \xE2\x88\x91");
}

TEST(BufferCsv, MinusOneIsNoHint) {
  EXPECT_EQ(read("id,lower,upper,size,hint\na,0,1,4,-1\n").problem.buffers[0].hint, std::nullopt);
}

TEST(BufferCsv, WritesTheInputWithOffsets) {
  const BufferCsv csv = read("size,id,lower,end,gaps\r\n 4,a ,0,3,1-2\r\n08,b,0,3,\r\n\r\n");
  const std::vector<BufferPlace> places{{0, 8}, {0, 0}};
  EXPECT_EQ(write_buffer_csv(csv.table, places),
            "size,id,lower,end,gaps,offset\n 4,a ,0,3,1-2,8\n08,b,0,3,,0\n");
}

TEST(BufferCsv, WritesOffsetsWhereTheColumnIs) {
  const BufferCsv csv = read("\xEF\xBB\xBFid,offset,lower,upper,size\na,,0,3,4\nb,16,0,3,4\n");
  const std::vector<BufferPlace> places{{0, 8}, {0, 16}};
  EXPECT_EQ(write_buffer_csv(csv.table, places),
            "id,offset,lower,upper,size\na,8,0,3,4\nb,16,0,3,4\n");
}

TEST(BufferCsv, ExportsAnyProblemItCanExpress) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 64, .alignment = 6});
  problem.buffers.push_back({.id = "a", .live = {{0, 9}}, .size = 4, .alignment = 4});
  problem.buffers[0].gaps = {{{1, 2}, {}}, {{3, 4}, AddressRange{0, 2}}};
  problem.buffers.push_back({.id = "b", .live = {{2, 3}}, .size = 8});
  problem.buffers[1].hint = 24;
  EXPECT_THAT(csv_cannot_express(problem), IsEmpty());
  EXPECT_EQ(write_buffer_csv(problem),
            "id,lower,upper,size,alignment,hint,gaps\n"
            "a,0,9,4,12,,1-2 3-4@0:2\n"
            "b,2,3,8,6,24,\n");
  const std::vector<BufferPlace> places{{0, 12}, {0, 24}};
  EXPECT_THAT(write_buffer_csv(problem, places), HasSubstr("\nb,2,3,8,6,24,,24\n"));
}

TEST(BufferCsv, SaysWhatItCannotExpress) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 64, .reserved = {{0, 4}}});
  problem.memories.push_back({.name = "n", .capacity = 64});
  problem.buffers.push_back({.id = "a,b", .live = {{0, 2}, {4, 9}}, .size = 4});
  problem.buffers.push_back({.id = "c", .live = {{0, 2}}, .size = 4, .window = AddressRange{0, 8}});
  problem.relations.push_back({RelationKind::disjoint, {0, 1}, 0});
  const std::vector<std::string> lost = csv_cannot_express(problem);
  EXPECT_THAT(lost, ElementsAre("there are several memories", "memory `m` has reserved ranges",
                                "buffer `a,b` has an id that a CSV cell cannot hold",
                                "buffer `a,b` has several live intervals",
                                "buffer `c` has a window", "there is a relation disjoint"));
}

TEST(BufferCsv, HintsHelp) {
  const auto hint = [](const std::string& text) {
    return testing::refusal([&] { return read(text); })->hint;
  };
  EXPECT_THAT(hint("id,lower,uper,size\n"), HasSubstr("did you mean `upper`?"));
  EXPECT_THAT(hint("id,lower,upper,size\na,3,3,4\n"), HasSubstr("--lifetimes inclusive"));
}

TEST(BufferCsv, ReadsTheBenchmarks) {
  TESSERA_NEED_SHARED("benchmarks/idealloc");
  const BufferCsv csv =
      read_buffer_csv_file(testing::shared_path("benchmarks/idealloc/iopddl-S.csv"));
  EXPECT_EQ(csv.problem.buffers.size(), 28526U);
}

// Linear, and without streams: 200,000 rows (5 MB) in a fraction of a second. The limit allows for
// a sanitizer on a busy machine.
TEST(BufferCsv, ReadsLargeFilesInNoTime) {
  std::string text = "id,lower,upper,size\n";
  for (int k = 0; k < 200000; ++k) {
    const std::string n = std::to_string(k);
    text += n + ',' + n + ',' + std::to_string(k + 17) + ",4096\n";
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(read(text).problem.buffers.size(), 200000U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace tessera::io
