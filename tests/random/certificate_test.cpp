// Certificates of random refutations: accepted as they are, rejected when anything is changed; and
// what other people's solvers say about the very same clauses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "encoder/cnf.h"
#include "encoder/export.h"
#include "encoder/sat_engine.h"
#include "model/check.h"
#include "proof/check_proof.h"
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

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool accepted(const PlacementProblem& problem, const fs::path& file) {
  return check_proof(problem, file, derive_cnf).accepted;
}

TEST(Certificates, OfRandomRefutationsAreAccepted) {
  const Scratch scratch;
  const fs::path file = scratch / "proof";
  int refuted = 0;
  int cuts = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const PlacementProblem problem = random_problem(random, Features::all());
    const auto engine =
        make_sat_engine({.encoding = seed % 2 == 0 ? OffsetEncoding::order : OffsetEncoding::binary,
                         .load_cut = seed % 3 != 0});
    fs::remove(file);
    const SearchResult result = engine->solve(problem, {.proof = file});
    ASSERT_EQ(fs::exists(file), result.status == Status::infeasible);
    if (result.status != Status::infeasible) continue;
    ++refuted;
    const ProofVerdict verdict = check_proof(problem, file, derive_cnf);
    ASSERT_TRUE(verdict.accepted) << verdict.reason << '\n' << to_yaml(problem);
    cuts += verdict.kind == "cut" ? 1 : 0;
  }
  EXPECT_GT(refuted, 200);
  EXPECT_GT(cuts, 20);
}

TEST(Certificates, OfLeastCostsAreAccepted) {
  const Scratch scratch;
  const fs::path file = scratch / "proof";
  int proved = 0;
  for (std::uint64_t seed = 1; seed <= 900; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const PlacementProblem problem = random_problem(random, Features::all());
    fs::remove(file);
    const SearchResult result =
        make_sat_engine({})->solve(problem, {.goal = Goal::cost, .proof = file});
    if (result.status != Status::feasible || result.bound == 0) continue;
    ++proved;
    const ProofVerdict verdict = check_proof(problem, file, derive_cnf);
    ASSERT_TRUE(verdict.accepted) << verdict.reason;
    EXPECT_NE(verdict.claim.find("cost<=" + std::to_string(result.bound - 1)), std::string::npos);
  }
  EXPECT_GT(proved, 10);
}

/// A refutation that takes some lemmas: a full load of odd sizes.
PlacementProblem tight(std::uint64_t seed) {
  Random random(seed);
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 24});
  std::vector<Size> load(12, 0);
  for (int tries = 0; tries < 200; ++tries) {
    const Step lower = random.between(0, 10);
    const Step upper = std::min<Step>(12, lower + random.between(1, 6));
    Size room = 24;
    for (Step t = lower; t < upper; ++t)
      room = std::min(room, 24 - load[static_cast<std::size_t>(t)]);
    if (room < 2) continue;
    const Size size = random.between(1, std::min<Size>(room, 11));
    for (Step t = lower; t < upper; ++t) load[static_cast<std::size_t>(t)] += size;
    problem.buffers.push_back({.id = "b" + std::to_string(problem.buffers.size()),
                               .live = {{lower, upper}},
                               .size = size});
  }
  return problem;
}

TEST(Certificates, DamagedOnPurposeAreRejected) {
  const Scratch scratch;
  const fs::path file = scratch / "proof";
  const fs::path damaged = scratch / "damaged";
  int rejected = 0;
  for (std::uint64_t seed = 1; rejected < 200; ++seed) {
    ASSERT_LT(seed, 2000U);
    PlacementProblem problem = tight(seed);
    fs::remove(file);
    const SearchResult result = make_sat_engine({})->solve(problem, {.proof = file});
    if (result.status != Status::infeasible) continue;
    ASSERT_TRUE(accepted(problem, file));
    const std::string text = read(file);
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    const auto lemmas = std::find(lines.begin(), lines.end(), "lemmas");
    if (lines.end() - lemmas < 4) continue;
    Random random(seed);
    const auto any_lemma = [&] {
      const auto first = lemmas - lines.begin() + 1;
      return static_cast<std::size_t>(random.between(first, std::ssize(lines) - 2));
    };
    const auto expect_rejected = [&](const std::vector<std::string>& changed) {
      std::ofstream out(damaged, std::ios::binary | std::ios::trunc);
      for (const std::string& line : changed) out << line << '\n';
      out.close();
      EXPECT_FALSE(accepted(problem, damaged)) << "seed " << seed;
      ++rejected;
    };
    std::vector<std::string> dropped = lines;
    dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(any_lemma()));
    expect_rejected(dropped);
    std::vector<std::string> flipped = lines;
    std::string& lemma = flipped[any_lemma()];
    const std::size_t at = lemma.starts_with("d ") ? 2 : 0;
    if (lemma[at] == '-') {
      lemma.erase(at, 1);
    } else {
      lemma.insert(at, "-");
    }
    expect_rejected(flipped);
    problem.buffers[random.below(problem.buffers.size())].size += 1;
    EXPECT_FALSE(accepted(problem, file)) << "another input, seed " << seed;
    ++rejected;
  }
}

/// What the command prints.
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
    const Status expected = make_sat_engine({})->solve(problem, {}).status;
    for (const FormulaFormat format : {FormulaFormat::dimacs, FormulaFormat::smt2}) {
      const bool dimacs = format == FormulaFormat::dimacs;
      const fs::path file = scratch / (dimacs ? "f.cnf" : "f.smt2");
      std::ofstream out(file, std::ios::trunc);
      export_formula(problem, format, out);
      out.close();
      std::istringstream answer(
          output_of((dimacs ? "cadical -q " : "z3 ") + ("'" + file.string() + "'")));
      const ImportedModel model = import_model(problem, answer);
      ASSERT_EQ(model.status, expected) << model.error << '\n' << to_yaml(problem);
      if (expected != Status::feasible) continue;
      const auto wrong = check(problem, *model.placement);
      EXPECT_TRUE(wrong.empty()) << wrong.front().message;
    }
  }
}

}  // namespace
}  // namespace tessera::testing
