// Every instance of instances/ with its expected result (see README.md there).

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/goal.h"
#include "tessera/check.h"
#include "tessera/check_result.h"
#include "tessera/engines.h"
#include "tessera/files.h"
#include "tessera/place.h"
#include "tests/support/paths.h"

namespace tessera {
namespace {

using Expected = std::map<std::string, std::string>;

Expected read_expected(const std::filesystem::path& file) {
  Expected expected;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) throw std::runtime_error(file.string() + ": no `key: value`");
    expected[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return expected;
}

std::vector<std::filesystem::path> instances() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::source_path("tests/regress/instances")))
    if (entry.path().extension() != ".expected") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

class Regress : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    std::filesystem::path file = GetParam();
    file.replace_extension(".expected");
    ASSERT_TRUE(std::filesystem::exists(file)) << file << " is missing";
    expected_ = read_expected(file);
    InputOptions options;
    if (expected_.contains("capacity"))
      options.capacity = parse_size_text(expected_.at("capacity"), "capacity");
    problem_ = load_input(GetParam().string(), options).problem;
    params_.limits.timeout = std::chrono::seconds(120);
  }

  /// place() checks placements itself; this compares only its conclusions.
  PlacementResult placed(Objective what) {
    params_.minimize = what;
    return place(problem_, params_);
  }

  Expected expected_;
  PlacementProblem problem_;
  PlaceParams params_;
};

TEST_P(Regress, Status) {
  if (!expected_.contains("status")) return;
  EXPECT_EQ(to_string(placed(Objective::fit).status), expected_.at("status"));
}

TEST_P(Regress, EveryNamedEngineAgrees) {
  if (!expected_.contains("engines")) return;
  std::istringstream names(expected_.at("engines"));
  for (std::string name; names >> name;) {
    params_.engine = name;
    EXPECT_EQ(to_string(placed(Objective::fit).status), expected_.at("status")) << name;
  }
}

TEST_P(Regress, Certificate) {
  if (!expected_.contains("certificate")) return;
  params_.proof =
      std::filesystem::path(::testing::TempDir()) / (GetParam().stem().string() + ".regress.proof");
  std::filesystem::remove(params_.proof);
  static_cast<void>(placed(Objective::fit));
  ASSERT_TRUE(std::filesystem::exists(params_.proof));
  const CertificateVerdict verdict =
      check_certificate(problem_, load_certificate(params_.proof.string()).text);
  EXPECT_TRUE(verdict.accepted) << verdict.reason;
  std::filesystem::remove(params_.proof);
}

TEST_P(Regress, LeastHeight) {
  if (!expected_.contains("height")) return;
  const PlacementResult result = placed(Objective::height);
  EXPECT_EQ(std::to_string(result.height), expected_.at("height"));
  EXPECT_TRUE(result.proven_minimum) << "bound " << result.lower_bound;
}

TEST_P(Regress, LeastHeights) {
  if (!expected_.contains("heights")) return;
  std::istringstream names("auto " + expected_["engines"]);
  for (std::string name; names >> name;) {
    params_.engine = name;
    const PlacementResult result = placed(Objective::height);
    std::vector<Size> falling = result.heights;
    std::sort(falling.rbegin(), falling.rend());
    std::string text;
    for (const Size height : falling) text += (text.empty() ? "" : " ") + std::to_string(height);
    EXPECT_EQ(text, expected_.at("heights")) << name;
    EXPECT_EQ(result.stop, StopReason::completed) << name;
  }
}

TEST_P(Regress, LeastCost) {
  if (!expected_.contains("cost")) return;
  const PlacementResult result = placed(Objective::cost);
  EXPECT_EQ(std::to_string(result.cost), expected_.at("cost"));
  EXPECT_TRUE(result.proven_optimal) << "bound " << result.cost_bound;
}

TEST_P(Regress, FewestModes) {
  if (!expected_.contains("modes")) return;
  const PlacementResult result = placed(Objective::modes);
  ASSERT_EQ(result.status, Status::feasible);
  EXPECT_EQ(std::to_string(engine::goal_value(problem_, *result.placement, Objective::modes)),
            expected_.at("modes"));
  EXPECT_TRUE(result.proven_optimal);
}

INSTANTIATE_TEST_SUITE_P(Instances, Regress, ::testing::ValuesIn(instances()),
                         [](const auto& instance) {
                           std::string name = instance.param.stem().string();
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace tessera
