// Certificates of benefits: the maximum benefit by brute force gets one, a smaller claim gets none,
// and no text proves a false claim.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "agreement.h"
#include "optional_problems.h"
#include "proof/check_proof.h"
#include "tessera/check.h"
#include "tessera/place.h"
#include "tessera/validate.h"
#include "tests/support/problem_text.h"
#include "tests/support/proofs.h"

namespace tessera::testing {
namespace {

std::string certificate_of(const PlacementProblem& problem, PlacementResult& result) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("benefit_certificate_test." + std::to_string(::getpid()));
  PlaceParams params;
  params.minimize = Objective::benefit;
  params.limits.threads = 1;
  params.proof = path;
  result = place(problem, params);
  std::string text;
  if (!result.certified.empty()) {
    std::ifstream in(path, std::ios::binary);
    text = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::filesystem::remove(path);
  return text;
}

/// -1 if the required buffers have no placement.
Benefit best_of(const PlacementProblem& problem) {
  return most_benefit(problem).value_or(-1);
}

/// An accepted claim about benefits is true.
void expect_true(const PlacementProblem& problem, const std::string& text, int& accepted,
                 int& refused) {
  const proof::ProofVerdict verdict = proof::check_proof(problem, sealed(text));
  ++(verdict.accepted ? accepted : refused);
  if (!verdict.accepted) return;
  for (const proof::ProofPart& part : verdict.parts) {
    if (part.claim.kind != ClaimKind::benefit) continue;
    // With larger assumed capacities brute force may not terminate.
    const auto large = [](const Memory& memory) { return memory.capacity > 64; };
    const std::vector<Memory>& memories = verdict.about.memories;
    if (std::any_of(memories.begin(), memories.end(), large)) continue;
    ASSERT_GE(part.claim.most, best_of(verdict.about)) << text << to_yaml(verdict.about);
  }
}

PlacementProblem random_choice(std::uint64_t seed) {
  Random random(seed);
  Features features = seed % 3 == 0   ? Features::all()
                      : seed % 3 == 1 ? Features::one_address_space()
                                      : Features::plain();
  features.alignment = true;
  features.parts = false;
  PlacementProblem problem = random_problem(random, features);
  make_optional(problem, random);
  return problem;
}

/// Changes a benefit, a group, a size, the optional buffers, or the capacity.
PlacementProblem slightly_other(Random& random, PlacementProblem problem) {
  Buffer& buffer = problem.buffers[random.below(problem.buffers.size())];
  switch (random.below(5)) {
    case 0:
      if (buffer.optional) buffer.benefit += random.pick(std::vector<Benefit>{1, 375, 1000});
      break;
    case 1:
      buffer.group.clear();
      break;
    case 2:
      buffer.size = std::max<Size>(1, buffer.size - 1);
      break;
    case 3:
      if (!buffer.optional) {
        buffer.optional = true;
        buffer.benefit = 2000;
      }
      break;
    default:
      for (Memory& memory : problem.memories)
        if (memory.banks.empty() && memory.capacity != unbounded) ++memory.capacity;
  }
  return problem;
}

TEST(BenefitCertificates, OfTheLargestBenefitAreAcceptedAndOfLessRefused) {
  const RandomRun run = from_environment({1, 500});
  int written = 0;
  int none = 0;
  int sets = 0;
  int accepted = 0;
  int refused = 0;
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    const PlacementProblem problem = random_choice(seed);
    if (!validate(problem).empty()) continue;
    PlacementResult result;
    const std::string sealed_text = certificate_of(problem, result);
    ASSERT_NE(sealed_text, "") << to_yaml(problem);
    const Benefit best = best_of(problem);
    const proof::ProofVerdict verdict = proof::check_proof(problem, sealed_text);
    ASSERT_TRUE(verdict.accepted) << verdict.reason << to_yaml(problem) << sealed_text;
    ASSERT_EQ(verdict.parts.front().claim.most, best) << to_yaml(problem);
    ++written;
    none += best < 0 ? 1 : 0;
    const std::string text = unsealed(sealed_text);
    std::vector<std::string> lines = lines_of(text);
    sets += std::any_of(lines.begin(), lines.end(),
                        [](const std::string& line) { return line.starts_with("row set"); })
                ? 1
                : 0;
    // A claim below the maximum, with the same proof.
    for (std::string& line : lines)
      if (line.starts_with("claim ")) line = "claim benefit " + std::to_string(best - 1);
    const proof::ProofVerdict less = proof::check_proof(problem, sealed(text_of(lines)));
    ASSERT_FALSE(less.accepted) << text_of(lines) << to_yaml(problem);
    Random random(seed);
    std::string worse = text;
    for (int k = 0; k < 6; ++k) {
      expect_true(problem, damaged(random, text, text), accepted, refused);
      worse = damaged(random, worse, text);
      expect_true(problem, worse, accepted, refused);
      const PlacementProblem other = slightly_other(random, problem);
      if (validate(other).empty()) expect_true(other, text, accepted, refused);
    }
    // Every line left out, one at a time.
    const std::vector<std::string> whole = lines_of(text);
    for (std::size_t k = 0; k < whole.size() && whole.size() < 60; ++k) {
      std::vector<std::string> shorter = whole;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(k));
      expect_true(problem, text_of(shorter), accepted, refused);
    }
  }
  std::cout << written << " certificates, " << sets << " with refuted sets, " << none
            << " of no placement at all; forged: " << refused << " refused, " << accepted
            << " still right and accepted\n";
  EXPECT_GT(refused, static_cast<int>(run.count));
  if (run.count < 500) return;
  EXPECT_GT(sets, 20);
  EXPECT_GT(none, 10);
}

/// Attacks by a forger who knows the format.
TEST(BenefitCertificates, ForgedRowsAndTreesAreRefused) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 10});
  for (const char* id : {"a", "b", "c", "d"}) {
    problem.buffers.push_back({.id = id, .live = {{0, 2}}, .size = 4});
    problem.buffers.back().optional = *id != 'a';
    if (*id != 'a') problem.buffers.back().benefit = 1000 * (*id - 'a');
  }
  const auto text = [](const std::string& room, const std::string& tree,
                       const std::string& claim = "claim benefit 3000") {
    return sealed("tessera proof/2\ncapacity 0 10 m\n" + claim +
                  "\nchoice\nrow sum\nstep 1\nmemory 0 m\nbuffer 0 a\nbuffer 1 b\nbuffer 2 c\n"
                  "buffer 3 d\n" +
                  room + "\ntree\n" + tree);
  };
  const auto right = [&](const std::string& certificate) {
    return proof::check_proof(problem, certificate).accepted;
  };
  const std::string tree = "prices 1 0 2500\nleaf\n";  // one of three: 500 + 2500 is no more
  EXPECT_TRUE(right(text("room 6", tree)));
  EXPECT_FALSE(right(text("room 7", tree)));
  EXPECT_FALSE(right(text("room 6", "prices 1 0 500\nleaf\n")));
  EXPECT_FALSE(right(text("room 6", "prices 1 0 -1\nleaf\n")));
  EXPECT_FALSE(right(text("room 6", "prices 1 1 2500\nleaf\n")));
  EXPECT_FALSE(right(text("room 6", "prices 1\nleaf\n")));
  EXPECT_FALSE(right(text("room 6", "leaf\n")));
  EXPECT_FALSE(right(text("room 6", "")));
  EXPECT_FALSE(right(text("room 6", tree + "leaf\n")));
  EXPECT_FALSE(right(text("room 6", tree, "claim benefit 2999")));
  EXPECT_FALSE(right(text("room 6", tree, "claim benefit -1")));
  EXPECT_FALSE(right(text("room 6", tree, "claim infeasible")));
  EXPECT_FALSE(right(text("room 6", tree, "claim cost 1")));
  // A tree: d in, so the others are out; d out, so there is less.
  const std::string branches = "prices 1\nin 3\nin 2\nover 0\nin 1\nover 0\nleaf\nleaf\n";
  EXPECT_TRUE(right(text("room 6", branches)));
  EXPECT_FALSE(right(text("room 6", branches, "claim benefit 2000")));
  EXPECT_FALSE(right(text("room 6", "prices 1\nin 3\nin 2\nover 0\nin 1\nover 0\nleaf\n")));
  EXPECT_FALSE(right(text("room 6", "prices 1\nin 3\nin 3\nover 0\nleaf\nleaf\n")));
  EXPECT_FALSE(right(text("room 6", "prices 1\nin 3\nover 0\nleaf\n")));
  EXPECT_FALSE(right(text("room 6", "prices 1\nin 0\nleaf\nleaf\n")));
  // Twins: where b is out, c can be assumed out, too.
  PlacementProblem alike = problem;
  alike.buffers[1].benefit = alike.buffers[2].benefit = 2000;
  const auto right_of_twins = [&](const std::string& steps) {
    return proof::check_proof(alike, text("room 6", "prices 1\n" + steps)).accepted;
  };
  const std::string b_in = "in 2\nover 0\nin 3\nover 0\nleaf\n";
  EXPECT_TRUE(right_of_twins("out 1\ntwin 1 2\nleaf\n" + b_in));
  EXPECT_TRUE(right_of_twins("in 1\n" + b_in + "twin 1 2\nleaf\n"));
  EXPECT_FALSE(right_of_twins("out 1\nleaf\n" + b_in));
  EXPECT_FALSE(right_of_twins("out 1\ntwin 1 2\ntwin 1 2\nleaf\n" + b_in));
  EXPECT_FALSE(right_of_twins("out 1\ntwin 1 3\nleaf\n" + b_in));  // worth more
  EXPECT_FALSE(right_of_twins("out 1\ntwin 1 1\nleaf\n" + b_in));
  EXPECT_FALSE(right_of_twins("out 1\ntwin 1\nleaf\n" + b_in));
  EXPECT_FALSE(right_of_twins("out 1\ntwin 1 2 2\nleaf\n" + b_in));
  EXPECT_FALSE(right_of_twins("out 1\ntwin 1 0\nleaf\n" + b_in));  // a required buffer
  EXPECT_FALSE(right_of_twins("twin 1 2\nout 1\nleaf\n" + b_in));  // b is not out yet
  EXPECT_FALSE(right_of_twins("in 1\ntwin 1 2\nleaf\nleaf\n"));
  // In the opposite direction, and invalid once b is in.
  EXPECT_FALSE(right_of_twins("out 2\ntwin 2 1\nleaf\nin 1\nover 0\nin 3\nover 0\nleaf\n"));
  EXPECT_FALSE(right_of_twins("out 1\ntwin 1 2\nleaf\nin 3\nover 0\nleaf\n"));
  alike.buffers[2].size = 3;
  EXPECT_FALSE(right_of_twins("out 1\ntwin 1 2\nleaf\n" + b_in));
  // The same with b and c in one group, which has their total benefit and is named by b.
  problem.buffers[1].group = problem.buffers[2].group = "g";
  EXPECT_TRUE(right(text("room 6", tree)));
  EXPECT_FALSE(right(text("room 6", branches)));
  problem.buffers[3].benefit = 3001;
  EXPECT_FALSE(right(text("room 6", tree)));
}

}  // namespace
}  // namespace tessera::testing
