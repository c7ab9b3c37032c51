// Reads the examples of docs/reference/problems.md and docs/reference/profiles.md.

#include "io/buffer_csv.h"
#include "io/hardware_yaml.h"
#include "io/placement_json.h"
#include "io/problem_yaml.h"
#include "tessera/check.h"
#include "tests/support/paths.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

/// The blocks of a page with this language and this beginning.
std::vector<std::string> blocks(const std::string& page, const std::string& language,
                                const std::string& beginning) {
  std::vector<std::string> found;
  const std::string fence = "```" + language + "\n";
  for (std::size_t at = page.find(fence); at != page.npos; at = page.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    const std::string block = page.substr(begin, page.find("```", begin) - begin);
    if (block.starts_with(beginning)) found.push_back(block);
  }
  return found;
}

std::string page(const std::string& name) {
  return testing::slurp(testing::source_path("docs/reference/" + name));
}

TEST(FormatsPage, BuffersAreRead) {
  const std::vector<std::string> csv = blocks(page("problems.md"), "csv", "");
  ASSERT_GE(csv.size(), 1U);
  for (const std::string& each : csv)
    EXPECT_FALSE(read_buffer_csv(each, "page").problem.buffers.empty());
}

TEST(FormatsPage, ProblemsAreRead) {
  const std::vector<std::string> yaml = blocks(page("problems.md"), "yaml", "tessera: problem/1");
  ASSERT_GE(yaml.size(), 2U);
  EXPECT_GE(read_problem_yaml(yaml[0], "page").problem.buffers.size(), 5U);
  std::size_t lists = 0;  // of several objectives
  for (const std::string& each : yaml)
    lists += read_problem_yaml(each, "page").problem.next_objectives.empty() ? 0 : 1;
  EXPECT_GE(lists, 1U);
}

TEST(FormatsPage, ProfilesAreRead) {
  const std::vector<std::string> yaml = blocks(page("profiles.md"), "yaml", "tessera: hardware/1");
  ASSERT_GE(yaml.size(), 1U);
  EXPECT_FALSE(read_hardware_yaml(yaml[0], "page").engines.empty());
}

TEST(FormatsPage, APlacementIsRight) {
  const std::vector<std::string> json =
      blocks(page("problems.md"), "json", R"({"tessera": "placement/1")");
  ASSERT_GE(json.size(), 1U);
  PlacementProblem placed;
  placed.memories.push_back({.name = "sram", .capacity = 12});
  placed.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 4});
  placed.buffers.push_back({.id = "b", .live = {{4, 5}}, .size = 8});
  const PlacementResult result = read_placement_json(json[0], "page", placed);
  ASSERT_TRUE(result.placement);
  EXPECT_TRUE(check(placed, *result.placement).empty());
  EXPECT_EQ(result.height, 8);
}

}  // namespace
}  // namespace tessera::io
