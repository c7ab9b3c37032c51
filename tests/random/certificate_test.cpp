// Certificates of random problems over the whole model, compared with brute force: a true claim
// gets an accepted certificate; a false one is rejected with any text.
#include "placer/certificate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>

#include "engine/goal.h"
#include "model/claim_problem.h"
#include "placer/make_engine.h"
#include "proof/check_proof.h"
#include "tessera/check.h"
#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/engine_agreement.h"
#include "tests/support/problem_text.h"
#include "tests/support/proofs.h"
#include "tests/support/random_problem.h"

namespace tessera::testing {
namespace {

/// A certificate of one claim; none if there is no proof.
std::optional<std::string> certificate_of(const PlacementProblem& problem, const Claim& claim,
                                          std::uint64_t seed = 0) {
  const auto path =
      std::filesystem::temp_directory_path() / ("certificate_test." + std::to_string(::getpid()));
  std::optional<std::string> text;
  {
    placer::CertificateFile file(path);
    file.header(problem, {});
    engine::SearchParams search;
    search.seed = seed;
    const bool proved = placer::certify(problem, claim, search, file).has_value();
    file.seal();
    if (proved) {
      std::ifstream in(path, std::ios::binary);
      text = std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
  }
  std::filesystem::remove(path);
  return text;
}

std::vector<MemoryIndex> all_memories(const PlacementProblem& problem) {
  std::vector<MemoryIndex> all(problem.memories.size());
  std::iota(all.begin(), all.end(), MemoryIndex{0});
  return all;
}

/// The strongest true claims about the problem, by brute force.
std::vector<Claim> true_claims(const PlacementProblem& problem) {
  if (!brute_force(problem)) return {{}};
  std::vector<Claim> claims;
  const auto add = [&](ClaimKind kind, OracleGoal goal, std::vector<MemoryIndex> memories) {
    const std::int64_t least = brute_force(problem, goal)->value;
    if (least > 0) claims.push_back({kind, std::move(memories), least});
  };
  add(ClaimKind::height, OracleGoal::top, all_memories(problem));
  add(ClaimKind::cost, OracleGoal::cost, {});
  add(ClaimKind::modes, OracleGoal::modes, {});
  add(ClaimKind::switches, OracleGoal::switches, {});
  return claims;
}

/// Does an engine find a placement that contradicts the claim? The placement counts only if the
/// checker accepts it.
bool is_contradicted(const PlacementProblem& problem, const Claim& claim) {
  const PlacementProblem lower = counterexample_problem(problem, claim);
  engine::SearchParams search;
  search.goal = counterexample_goal(claim);
  search.at_most = counterexample_cost(claim);
  const engine::SearchResult found = placer::make_engine("learning")->solve(lower, search);
  return found.placement && check(problem, *found.placement).empty() &&
         (!search.at_most ||
          engine::goal_value(problem, *found.placement, search.goal) <= *search.at_most);
}

/// By brute force if that is fast. require: heights are of all memories.
bool is_true(const PlacementProblem& problem, const Claim& claim) {
  double places = 1;
  for (const Buffer& buffer : problem.buffers)
    for (const Memory& memory : problem.memories)
      places *= static_cast<double>(std::max<Size>(1, memory.capacity - buffer.size));
  if (places > 1e7) return !is_contradicted(problem, claim);
  const auto least = [&](OracleGoal goal) {
    const auto best = brute_force(problem, goal);
    return !best || best->value >= claim.least;
  };
  switch (claim.kind) {
    case ClaimKind::infeasible:
      return !brute_force(problem);
    case ClaimKind::height:
      return least(OracleGoal::top);
    case ClaimKind::cost:
      return least(OracleGoal::cost);
    case ClaimKind::modes:
      return least(OracleGoal::modes);
    case ClaimKind::switches:
      return least(OracleGoal::switches);
    case ClaimKind::benefit:
      break;  // tests/random/optional_test.cpp
  }
  return false;
}

/// Problems of every kind; and buffers with parts, restricted to rules that derivations support.
PlacementProblem problem_of(Random& random, std::uint64_t seed) {
  if (seed % 4 != 1)
    return random_problem(random, seed % 3 == 0 ? Features::one_address_space() : Features::all());
  Features features;
  features.parts = features.alignment = features.windows = features.reserved = features.gaps =
      features.gap_windows = features.intervals = features.fixed_offsets = true;
  features.several_memories = features.memory_choice = random.chance(40);
  features.relations = {RelationKind::disjoint, RelationKind::may_overlap,
                        RelationKind::same_memory, RelationKind::different_memories};
  return random_problem(random, features);
}

/// The same problem with one number or rule changed.
PlacementProblem changed(Random& random, PlacementProblem problem) {
  const auto any = [&]() -> Buffer& {
    return problem.buffers[random.below(problem.buffers.size())];
  };
  switch (random.below(10)) {
    case 0:
      any().size = std::max<Size>(1, any().size - random.between(1, 2));
      break;
    case 1:
      if (problem.relations.empty()) break;
      problem.relations.erase(problem.relations.begin() +
                              static_cast<std::ptrdiff_t>(random.below(problem.relations.size())));
      break;
    case 2:
      any().window.reset();
      break;
    case 3:
      any().offset.reset();
      break;
    case 4:
      any().read.clear();
      any().write.clear();
      break;
    case 5:
      problem.memories[random.below(problem.memories.size())].reserved.clear();
      break;
    case 6:
      any().alignment = 1;
      problem.memories[random.below(problem.memories.size())].alignment = 1;
      break;
    case 7: {
      Buffer& buffer = any();
      buffer.gaps.clear();
      buffer.parts.clear();
      buffer.read.clear();
      buffer.write.clear();
      buffer.live = {{random.between(0, 3), random.between(4, 5)}};
      break;
    }
    case 8: {
      Buffer& buffer = any();
      if (buffer.parts.empty()) break;
      BufferPart& part = buffer.parts[random.below(buffer.parts.size())];
      StepRange& live = part.live[random.below(part.live.size())];
      (random.chance(50) ? live.lower : live.upper) += random.chance(50) ? 1 : -1;
      if (random.chance(50)) part.offset = std::max<Offset>(0, part.offset + random.between(-1, 1));
      break;
    }
    default:
      problem.memories[random.below(problem.memories.size())].straddle = true;
  }
  return problem;
}

TEST(Certificates, OfEveryTrueClaimAreAccepted) {
  std::array<int, 5> seen{};
  int cuts = 0;
  const RandomRun run = from_environment({1, 1200});
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    Random random(seed);
    const PlacementProblem problem = problem_of(random, seed);
    for (const Claim& claim : true_claims(problem)) {
      const auto text = certificate_of(problem, claim, seed);
      ASSERT_TRUE(text) << describe(problem, claim) << '\n' << to_yaml(problem);
      const proof::ProofVerdict verdict = proof::check_proof(problem, *text);
      ASSERT_TRUE(verdict.accepted) << describe(problem, claim) << ": " << verdict.reason << '\n'
                                    << to_yaml(problem);
      ASSERT_EQ(verdict.parts.size(), 1U);
      EXPECT_EQ(verdict.parts[0].claim, claim);
      ++seen[static_cast<std::size_t>(claim.kind)];
      cuts += verdict.parts[0].kind == "cut" ? 1 : 0;
      if (claim.kind == ClaimKind::infeasible) continue;
      Claim more = claim;
      ++more.least;
      EXPECT_FALSE(certificate_of(problem, more, seed)) << describe(problem, more);
    }
  }
  std::cout << "infeasible " << seen[0] << ", height " << seen[1] << ", cost " << seen[2]
            << ", modes " << seen[3] << ", switches " << seen[4] << "; cuts " << cuts << '\n';
  if (run.count < 1000) return;
  EXPECT_GT(*std::min_element(seen.begin(), seen.begin() + 4), 10);
  EXPECT_GT(seen[4], 0);  // few random problems need a switch
  EXPECT_GT(cuts, 50);
}

/// The forger knows the checksum and has a valid certificate of a similar problem.
TEST(Certificates, NoTextProvesWhatIsFalse) {
  int refused = 0;
  int still_right = 0;
  const RandomRun run = from_environment({1, 500});
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    Random random(seed);
    const PlacementProblem problem = problem_of(random, seed);
    for (const Claim& claim : true_claims(problem)) {
      const std::string text = unsealed(certificate_of(problem, claim, seed).value());
      const auto offer = [&](const PlacementProblem& about, const std::string& forged) {
        const proof::ProofVerdict verdict = proof::check_proof(about, sealed(forged));
        ++(verdict.accepted ? still_right : refused);
        if (!verdict.accepted) return;
        for (const proof::ProofPart& part : verdict.parts)
          ASSERT_TRUE(part.claim.kind == ClaimKind::height &&
                              part.claim.memories != all_memories(about)
                          ? true
                          : is_true(verdict.about, part.claim))
              << part.claim_text << "\n"
              << forged << to_yaml(verdict.about);
      };
      // Another claim with the same proof.
      for (const char* other : {"claim infeasible", "claim cost 1", "claim cost 2", "claim modes 2",
                                "claim height 3 0", "claim height 9 0"}) {
        std::vector<std::string> lines = lines_of(text);
        for (std::string& line : lines)
          if (line.starts_with("claim ")) line = other;
        offer(problem, text_of(lines));
      }
      for (int k = 0; k < 6; ++k) {
        const PlacementProblem other = changed(random, problem);
        if (!validate(other).empty()) continue;
        offer(other, text);
        offer(other, damaged(random, text, text));
      }
      std::string worse = text;
      for (int k = 0; k < 4; ++k) {
        worse = damaged(random, worse, text);
        offer(problem, worse);
      }
    }
  }
  std::cout << refused << " refused, " << still_right << " still right and accepted\n";
  EXPECT_GT(refused, static_cast<int>(run.count));
}

}  // namespace
}  // namespace tessera::testing
