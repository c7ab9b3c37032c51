#include "io/load.h"

#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

using ::testing::HasSubstr;

constexpr const char* csv = "id,lower,upper,size\na,0,1,4\nb,0,1,8\n";
constexpr const char* yaml =
    "# a comment, with a comma: and a colon\n\ntessera: problem/1\n"
    "memories: {m: {capacity: 64}}\nbuffers: [{id: a, live: [0, 1], size: 4}]\n";

TEST(Load, TellsFormatsApartByContent) {
  EXPECT_EQ(detect_format(csv), ProblemFormat::buffer_csv);
  EXPECT_EQ(detect_format(yaml), ProblemFormat::problem_yaml);
  EXPECT_EQ(detect_format("--- \ntessera: problem/1"), ProblemFormat::problem_yaml);
  EXPECT_EQ(detect_format("%YAML 1.2\n---\n"), ProblemFormat::problem_yaml);
  EXPECT_EQ(detect_format("\xEF\xBB\xBF\r\n  {\"schema_version\": 1}"), ProblemFormat::dsa_json);
  EXPECT_EQ(detect_format(""), ProblemFormat::buffer_csv);
}

TEST(Load, NamesTheFormat) {
  EXPECT_EQ(load_problem_text(csv, "x").format, "csv");
  EXPECT_EQ(load_problem_text(yaml, "x").format, "yaml");
  EXPECT_TRUE(load_problem_text(csv, "x").csv);
  EXPECT_FALSE(load_problem_text(yaml, "x").csv);
  EXPECT_EQ(to_string(ProblemFormat::dsa_json), "json");
}

TEST(Load, TheCapacityIsOverridden) {
  EXPECT_EQ(load_problem_text(csv, "x", {.capacity = 12}).problem.memories[0].capacity, 12);
  EXPECT_EQ(load_problem_text(yaml, "x", {.capacity = 12}).problem.memories[0].capacity, 12);
}

TEST(Load, ACapacityNeedsExactlyOneMemoryAndNoBanks) {
  const std::string top = "tessera: problem/1\nmemories:\n";
  const std::string rest = "buffers: [{id: a, live: [0, 1], size: 4}]\n";
  const InputOptions options{.capacity = 12};
  EXPECT_REFUSED(
      load_problem_text(top + "  m: {capacity: 8}\n  n: {capacity: 8}\n" + rest, "x", options), 0,
      "has 2 memories");
  EXPECT_REFUSED(load_problem_text(top + "  m: {banks: 2, bank_size: 8}\n" + rest, "x", options), 3,
                 "has banks that add up to 16");
  EXPECT_REFUSED(
      load_problem_text(top + "  m: {capacity: 64, reserved: [[32, 40]]}\n" + rest, "x", options),
      3, "[32, 40)");
}

TEST(Load, TheMemoriesOfAProfileAreTaken) {
  const testing::Folder folder;
  testing::spill(folder / "toy.yaml",
                 "tessera: hardware/1\nname: toy\nmemories:\n"
                 "  sram: {capacity: 32, alignment: 16}\n");
  const InputOptions options{.profile = "toy", .folders = {(folder / "").string()}};
  const Input loaded = load_problem_text(csv, "x", options);
  EXPECT_EQ(loaded.problem.memories[0].name, "sram");
  EXPECT_EQ(load_problem_text(yaml, "x", options).problem.memories[0].alignment, 16);
}

TEST(Load, ReadsFiles) {
  const testing::Folder folder;
  testing::spill(folder / "p", yaml);
  EXPECT_EQ(load_problem(folder / "p").problem.buffers[0].id, "a");
  testing::spill(folder / "c", csv);
  const Input loaded = load_problem(folder / "c");
  EXPECT_EQ(loaded.csv->source.file, (folder / "c").string());
  EXPECT_EQ(loaded.csv->source.buffers[1], 3U);
  EXPECT_REFUSED(load_problem(folder / "none"), 0, "cannot be opened");
}

TEST(Load, WhatAnotherRoomFindsStillNamesTheLine) {
  const Input loaded = load_problem_text(csv, "x.csv");
  const InputError error =
      defect_error(loaded.csv->source, {ProblemPart::buffer, 1, "size", "buffer 'b' is\nodd."});
  EXPECT_STREQ(error.what(), "x.csv:3: buffer 'b' is odd");
}

TEST(Load, MessagesShowWhatIsUnprintable) {
  EXPECT_EQ(shown("a\tb\x1b[0m\xff"), "`a\\x09b\\x1b[0m\\xff`");
  EXPECT_EQ(shown("gr\xC3\xBCn"), "`gr\xC3\xBCn`");
  EXPECT_THAT(shown(std::string(100, 'x')), HasSubstr(std::string(60, 'x') + "...`"));
}

}  // namespace
}  // namespace tessera::io
