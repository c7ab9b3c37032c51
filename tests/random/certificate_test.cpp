// Certificates of random refutations: accepted as they are, rejected when anything is changed; and
// what other people's solvers say about the very same clauses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "encoder/cnf.h"
#include "encoder/export.h"
#include "encoder/sat_engine.h"
#include "model/check.h"
#include "proof/check_proof.h"
#include "tests/support/engine_agreement.h"
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

/// The text with the checksum it needs: damage that a checksum does not notice.
std::string sealed(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text + "end " + digits.data() + '\n';
}

std::vector<int> numbers_in(const std::string& line) {
  std::istringstream in(line);
  std::vector<int> numbers;
  for (int number = 0; in >> number && number != 0;) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// A second opinion on what stands behind "lemmas": reverse unit propagation as its definition
/// says, over all clauses again and again. What is known for certain stays known.
class SlowChecker {
 public:
  explicit SlowChecker(const std::vector<int>& clauses) {
    int variables = 0;
    for (const int literal : clauses) variables = std::max(variables, std::abs(literal));
    known_.resize(static_cast<std::size_t>(variables) + 1, 0);
    std::vector<int> clause;
    for (const int literal : clauses) {
      if (literal != 0) {
        clause.push_back(literal);
        continue;
      }
      std::sort(clause.begin(), clause.end());
      clauses_.push_back(clause);
      clause.clear();
    }
    refuted_ = !propagate(known_);
  }

  [[nodiscard]] bool refutes(const std::vector<std::string>& lemmas) {
    for (const std::string& line : lemmas) {
      if (refuted_) return true;
      if (line.starts_with("d ")) {
        const auto gone = std::find(clauses_.begin(), clauses_.end(), numbers_in(line.substr(2)));
        if (gone == clauses_.end()) return false;
        clauses_.erase(gone);
        continue;
      }
      const std::vector<int> lemma = numbers_in(line);
      Truths assumed = known_;
      bool follows = false;
      for (const int literal : lemma) {
        follows = follows || value(assumed, literal) > 0;
        set(assumed, -literal);
      }
      if (!follows && propagate(assumed)) return false;
      clauses_.push_back(lemma);
      refuted_ = !propagate(known_);
    }
    return refuted_;
  }

 private:
  using Truths = std::vector<signed char>;  ///< per variable: 1, -1, 0 not known

  static int value(const Truths& truths, int literal) {
    const int of = truths[static_cast<std::size_t>(std::abs(literal))];
    return literal < 0 ? -of : of;
  }
  static void set(Truths& truths, int literal) {
    truths[static_cast<std::size_t>(std::abs(literal))] = literal < 0 ? -1 : 1;
  }

  /// False if some clause has no literal left.
  [[nodiscard]] bool propagate(Truths& known) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::vector<int>& clause : clauses_) {
        int open = 0;
        int last = 0;
        bool done = false;
        for (const int literal : clause) {
          done = done || value(known, literal) > 0;
          if (value(known, literal) < 0) continue;
          ++open;
          last = literal;
        }
        if (done || open > 1) continue;
        if (open == 0) return false;
        set(known, last);
        changed = true;
      }
    }
    return true;
  }

  std::vector<std::vector<int>> clauses_;
  Truths known_;
  bool refuted_ = false;
};

/// Each damaged file carries a right checksum, so that only its logic can give it away. A proof
/// with a lemma less may still be one: the slow checker says which are.
TEST(Certificates, DamagedOnPurposeAreRejectedByLogic) {
  const Scratch scratch;
  const fs::path file = scratch / "proof";
  const fs::path damaged = scratch / "damaged";
  std::array<int, 3> rejected{};  // a lemma dropped, a literal flipped, another input
  std::array<int, 3> harmless{};
  const auto wanted = static_cast<int>(from_environment({1, 60}).count);
  const auto enough = [&] {
    return *std::min_element(rejected.begin(), rejected.end()) * 3 >= wanted &&
           rejected[0] + rejected[1] + rejected[2] >= wanted;
  };
  for (std::uint64_t seed = 1; !enough(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_LT(seed, 4000U);
    const PlacementProblem problem = tight(seed);
    fs::remove(file);
    const SearchResult result = make_sat_engine({})->solve(problem, {.proof = file});
    if (result.status != Status::infeasible) continue;
    ASSERT_TRUE(accepted(problem, file));
    std::vector<std::string> lines;
    std::istringstream in(read(file));
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    lines.pop_back();
    const auto lemmas = std::find(lines.begin(), lines.end(), "lemmas") - lines.begin();
    if (std::ssize(lines) - lemmas < 4) continue;
    const std::string claim = lines[0].substr(std::string("tessera proof/1 drat ").size());
    std::string why;
    const std::vector<int> clauses = *derive_cnf(problem, claim, why);
    Random random(seed);
    const auto any_line = [&] {
      return static_cast<std::size_t>(random.between(lemmas + 1, std::ssize(lines) - 1));
    };
    const auto judge = [&](std::size_t kind, const PlacementProblem& about,
                           const std::vector<std::string>& changed, bool still_right) {
      std::ofstream(damaged, std::ios::binary | std::ios::trunc) << sealed(changed);
      const ProofVerdict verdict = check_proof(about, damaged, derive_cnf);
      EXPECT_EQ(verdict.accepted, still_right) << "kind " << kind << ": " << verdict.reason;
      EXPECT_EQ(verdict.reason.find("checksum"), std::string::npos) << verdict.reason;
      ++(verdict.accepted ? harmless : rejected)[kind];
    };
    const auto still_refutes = [&](const std::vector<std::string>& changed) {
      return SlowChecker(clauses).refutes({changed.begin() + lemmas + 1, changed.end()});
    };
    ASSERT_TRUE(still_refutes(lines));

    for (int round = 0; round < 3; ++round) {
      // Most single lemmas can be spared: look for one that cannot, a few times.
      std::vector<std::string> dropped;
      bool right = true;
      for (int tries = 0; tries < 6 && right; ++tries) {
        dropped = lines;
        dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(any_line()));
        right = still_refutes(dropped);
      }
      judge(0, problem, dropped, right);

      std::vector<std::string> flipped = lines;
      std::string& lemma = flipped[any_line()];
      const std::size_t at = lemma.starts_with("d ") ? 2 : 0;
      if (lemma[at] == '-') {
        lemma.erase(at, 1);
      } else if (lemma[at] != '0') {
        lemma.insert(at, "-");
      }
      judge(1, problem, flipped, still_refutes(flipped));

      PlacementProblem other = problem;
      Buffer& buffer = other.buffers[random.below(other.buffers.size())];
      switch (round) {
        case 0:
          buffer.size += 1;
          break;
        case 1:
          buffer.live.front().upper += 1;
          break;
        default:
          other.memories[0].capacity += 1;
      }
      const auto derived = derive_cnf(other, claim, why);
      judge(2, other, lines, derived && *derived == clauses);
    }
  }
  for (std::size_t kind = 0; kind < 3; ++kind) {
    std::cout << (kind == 0   ? "a lemma dropped"
                  : kind == 1 ? "a literal flipped"
                              : "another input")
              << ": " << rejected[kind] << " rejected, " << harmless[kind]
              << " still right and accepted\n";
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
