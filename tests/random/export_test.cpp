// Results of external solvers for the exported constraints of random problems.
#include "encoder/export.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "encoder/sat_engine.h"
#include "tessera/check.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

namespace tessera::testing {
namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() : folder_(fs::temp_directory_path() / ("certificates." + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { fs::remove_all(folder_); }
  [[nodiscard]] fs::path operator/(const char* name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
    text.append(part.data(), count);
  }
  ::pclose(pipe);
  return text;
}

TEST(Export, OtherSolversGiveTheSameAnswerAndReadableModels) {
  if (std::system("cadical --version >/dev/null 2>&1") != 0 ||
      std::system("z3 --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "the programs cadical and z3 are not installed";
  }
  const Scratch scratch;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const PlacementProblem problem = random_problem(random, Features::all());
    const Status expected = encoder::make_sat_engine({})->solve(problem, {}).status;
    for (const encoder::FormulaFormat format :
         {encoder::FormulaFormat::dimacs, encoder::FormulaFormat::smt2}) {
      const bool dimacs = format == encoder::FormulaFormat::dimacs;
      const fs::path file = scratch / (dimacs ? "f.cnf" : "f.smt2");
      std::ofstream out(file, std::ios::trunc);
      encoder::export_formula(problem, format, out);
      out.close();
      std::istringstream answer(
          output_of((dimacs ? "cadical -q " : "z3 ") + ("'" + file.string() + "'")));
      const encoder::ImportedModel model = encoder::import_model(problem, answer);
      ASSERT_EQ(model.status, expected) << model.error << '\n' << to_yaml(problem);
      if (expected != Status::feasible) continue;
      const auto wrong = check(problem, *model.placement);
      EXPECT_TRUE(wrong.empty()) << wrong.front().message;
    }
  }
}

}  // namespace
}  // namespace tessera::testing
