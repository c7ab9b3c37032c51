// tests/usage/malformed: every file is refused, at the line and with the words of expected.tsv.
#include <set>
#include <sstream>

#include "io/files.h"
#include "io/hardware_yaml.h"
#include "io/load.h"
#include "io/network_onnx.h"
#include "io/placement_json.h"
#include "io/problem_yaml.h"
#include "tests/support/paths.h"
#include "tests/unit/io/support.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

void read_as(const std::string& format, const fs::path& path) {
  if (format == "hardware_yaml") {
    static_cast<void>(read_hardware_yaml_file(path));
  } else if (format == "placement_json") {
    const ProblemYaml about =
        read_problem_yaml_file(testing::source_path("tests/unit/io/placed_problem.yaml"));
    static_cast<void>(read_placement_json_file(path, about.problem));
  } else if (format == "onnx") {
    static_cast<void>(read_onnx(read_file(path), path.string(), {}));
  } else {
    static_cast<void>(load_problem(path));
  }
}

struct Expected {
  std::string file;
  std::size_t line = 0;
  std::string words;
};

std::vector<Expected> expectations(const fs::path& root) {
  std::istringstream list(testing::slurp(root / "expected.tsv"));
  std::vector<Expected> all;
  std::string file;
  std::string line;
  std::string words;
  while (std::getline(list, file, '\t') && std::getline(list, line, '\t') &&
         std::getline(list, words)) {
    all.push_back({file, std::stoul(line), words});
  }
  return all;
}

TEST(Malformed, EveryFileIsRefusedAtItsLineWithItsWords) {
  const fs::path root = testing::source_path("tests/usage/malformed");
  const std::vector<Expected> all = expectations(root);
  ASSERT_GE(all.size(), 300U);
  for (const Expected& each : all) {
    SCOPED_TRACE(each.file);
    const fs::path path = root / each.file;
    const auto error = testing::refusal([&] {
      read_as(each.file.substr(0, each.file.find('/')), path);
      return 0;
    });
    if (!error) {
      ADD_FAILURE() << "was accepted";
      continue;
    }
    EXPECT_EQ(error->line, each.line) << error->what();
    EXPECT_EQ(error->file, path.string());
    EXPECT_THAT(error->message, ::testing::HasSubstr(each.words));
    const std::string line = each.line > 0 ? ':' + std::to_string(each.line) : std::string();
    EXPECT_EQ(std::string(error->what()), path.string() + line + ": " + error->message);
    EXPECT_THAT(error->what(), ::testing::Not(::testing::HasSubstr("\n")));
    EXPECT_LT(error->message.size(), 400U) << "whatever the input holds is shortened";
  }
}

TEST(Malformed, EveryFileIsListed) {
  const fs::path root = testing::source_path("tests/usage/malformed");
  std::set<std::string> listed;
  for (const Expected& each : expectations(root)) {
    EXPECT_TRUE(listed.insert(each.file).second) << each.file << " is listed twice";
  }
  std::set<std::string> formats;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    const std::string file = fs::relative(entry.path(), root).string();
    if (!entry.is_regular_file() || file.find('/') == std::string::npos) continue;
    formats.insert(file.substr(0, file.find('/')));
    EXPECT_TRUE(listed.contains(file)) << file << " is not in expected.tsv";
  }
  EXPECT_EQ(formats, (std::set<std::string>{"buffer_csv", "dsa_json", "hardware_yaml", "onnx",
                                            "placement_json", "problem_yaml"}));
}

}  // namespace
}  // namespace tessera
