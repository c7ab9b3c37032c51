// The examples of docs/reference/ are read by the readers they are about.

#include "io/buffer_csv.h"
#include "io/graph_json.h"
#include "io/hardware_yaml.h"
#include "io/placement_json.h"
#include "io/problem_yaml.h"
#include "tessera/check.h"
#include "tests/support/paths.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

/// The blocks of a page by the first word after their fence, and their first line.
std::vector<std::string> blocks(const std::string& page, const std::string& language) {
  std::vector<std::string> found;
  const std::string fence = "```" + language + "\n";
  for (std::size_t at = page.find(fence); at != page.npos; at = page.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    found.push_back(page.substr(begin, page.find("```", begin) - begin));
  }
  return found;
}

TEST(FormatsPage, ItsExamplesAreRight) {
  const std::string page = testing::slurp(testing::source_path("docs/reference/problems.md"));

  const std::vector<std::string> csv = blocks(page, "csv");
  ASSERT_EQ(csv.size(), 1U);
  EXPECT_EQ(read_buffer_csv(csv[0], "page").problem.buffers.size(), 2U);

  const std::vector<std::string> yaml = blocks(page, "yaml");
  ASSERT_EQ(yaml.size(), 1U);
  const PlacementProblem problem = read_problem_yaml(yaml[0], "page").problem;
  EXPECT_EQ(problem.buffers.size(), 5U);
  EXPECT_EQ(problem.rules.size(), 1U);

  const std::vector<std::string> json = blocks(page, "json");
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(read_graph_json(json[0], "page").in_place.size(), 1U);
  PlacementProblem placed;
  placed.memories.push_back({.name = "sram", .capacity = 12});
  placed.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 4});
  placed.buffers.push_back({.id = "b", .live = {{4, 5}}, .size = 8});
  const PlacementResult result = read_placement_json(json[1], "page", placed);
  ASSERT_TRUE(result.placement);
  EXPECT_TRUE(check(placed, *result.placement).empty());
  EXPECT_EQ(result.height, 8);
}

TEST(FormatsPage, ItsProfileIsRight) {
  const std::string page = testing::slurp(testing::source_path("docs/reference/profiles.md"));
  const std::vector<std::string> yaml = blocks(page, "yaml");
  ASSERT_EQ(yaml.size(), 1U);
  EXPECT_EQ(read_hardware_yaml(yaml[0], "page").engines.size(), 2U);
}

}  // namespace
}  // namespace tessera::io
