// tests/usage/malformed: every input is rejected with exactly the message of its case.
#include <iostream>
#include <set>

#include "io/files.h"
#include "io/graph_json.h"
#include "io/hardware_yaml.h"
#include "io/load.h"
#include "io/network_onnx.h"
#include "io/placement_json.h"
#include "io/problem_yaml.h"
#include "io/tflite.h"
#include "tests/support/paths.h"
#include "tests/unit/io/case_file.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;
using testing::MalformedCase;

void read_as(const std::string& format, const fs::path& path) {
  if (format == "hardware_yaml") {
    static_cast<void>(read_hardware_yaml_file(path));
  } else if (format == "placement_json") {
    const ProblemYaml about =
        read_problem_yaml_file(testing::source_path("tests/unit/io/placed_problem.yaml"));
    static_cast<void>(read_placement_json_file(path, about.problem));
  } else if (format == "onnx") {
    static_cast<void>(read_onnx(read_file(path), path.string(), {}));
  } else if (format == "graph_json") {
    static_cast<void>(read_graph_json(read_file(path), path.string()));
  } else if (format == "tflite") {
    static_cast<void>(read_tflite_network(read_file(path), path.string(), {}));
  } else {
    static_cast<void>(load_problem(path));
  }
}

std::string suffix(const std::string& format) {
  if (format == "onnx" || format == "tflite") return '.' + format;
  return '.' + format.substr(format.find('_') + 1);
}

/// The error of reading `each` as a file with that name; FILE stands for its path.
std::optional<InputError> refusal_of(const std::string& format, const MalformedCase& each) {
  const testing::Folder folder;
  const fs::path path = folder / (each.name + suffix(format));
  testing::spill(path, each.data);
  auto error = testing::refusal([&] {
    read_as(format, path);
    return 0;
  });
  if (error) {
    EXPECT_EQ(error->file, path.string());
    error = InputError("FILE", error->line, error->message, error->hint);
  }
  return error;
}

/// A build without ONNX rejects every model with the same message.
bool is_left_out(const std::string& format) {
  if (format != "onnx") return false;
  const auto error = testing::refusal([] { return read_onnx("", "FILE", {}).network.ops.size(); });
  return error && error->message.find("has no ONNX reader") != std::string::npos;
}

TEST(Malformed, EveryCaseIsRefusedWithItsSentence) {
  std::size_t cases = 0;
  for (const std::string& format : testing::malformed_formats()) {
    if (is_left_out(format)) {
      cases += testing::malformed_cases(format).size();
      std::cout << "this build reads no ONNX: " << format << ".cases is left out\n";
      continue;
    }
    for (const MalformedCase& each : testing::malformed_cases(format)) {
      SCOPED_TRACE(format + ".cases: " + each.name);
      ++cases;
      const std::optional<InputError> error = refusal_of(format, each);
      if (!error) {
        ADD_FAILURE() << "was accepted";
        continue;
      }
      EXPECT_EQ(error->what(), each.error);
      EXPECT_EQ(error->hint, each.hint);
      EXPECT_THAT(error->what(), ::testing::Not(::testing::HasSubstr("\n")));
      EXPECT_LT(error->message.size(), 400U) << "whatever the input holds is shortened";
    }
  }
  EXPECT_GE(cases, 370U) << "a case was lost";
}

TEST(Malformed, EveryReaderHasItsCasesAndEveryCaseAName) {
  EXPECT_EQ(testing::malformed_formats(),
            (std::vector<std::string>{"buffer_csv", "dsa_json", "executorch_trace", "graph_json",
                                      "hardware_yaml", "onnx", "placement_json", "problem_yaml",
                                      "tflite"}));
  for (const std::string& format : testing::malformed_formats()) {
    std::set<std::string> names;
    for (const MalformedCase& each : testing::malformed_cases(format)) {
      SCOPED_TRACE(format + ".cases: " + each.name);
      EXPECT_TRUE(names.insert(each.name).second) << "stands twice";
      EXPECT_TRUE(each.error.starts_with("FILE")) << "has no sentence";
    }
  }
}

// The notation of bytes in case files, on which the tests above depend.
TEST(Malformed, InputsAreReadByteForByte) {
  const auto data = [](const char* format, std::string_view name) {
    for (const MalformedCase& each : testing::malformed_cases(format))
      if (each.name == name) return each.data;
    return std::string("there is no such case");
  };
  EXPECT_EQ(data("buffer_csv", "empty"), "");
  EXPECT_EQ(data("buffer_csv", "carriage-returns-only"), "id,lower,upper,size\ra,0,1,4\r");
  EXPECT_EQ(data("placement_json", "deep-nesting").size(), 100010U);
  EXPECT_EQ(data("dsa_json", "deep-objects").size(), 30000U);
  EXPECT_EQ(data("problem_yaml", "deep-maps").size(), 46149U);
  EXPECT_EQ(data("onnx", "functions-that-double").size(), 2320U);
}

}  // namespace
}  // namespace tessera::io
