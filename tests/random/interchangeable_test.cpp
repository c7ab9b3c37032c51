// Interchangeable buffers: exchanging them preserves the validity of every placement; on problems
// with many of them all engines agree with brute force; and certificates that depend on them are
// accepted.
#include "facts/interchangeable.h"

#include <gtest/gtest.h>

#include <array>
#include <iostream>

#include "agreement.h"
#include "all_engines.h"
#include "model/derived.h"
#include "proof/check_proof.h"
#include "search/learning/engine.h"
#include "tests/support/brute_force.h"
#include "tests/support/problem_text.h"
#include "tests/support/proofs.h"

namespace tessera::testing {
namespace {

/// Most have separating relations, alignments and reserved ranges; nearly all have interchangeable
/// buffers.
PlacementProblem problem_of(std::uint64_t seed) {
  Random random(seed);
  Features features = seed % 3 == 0   ? Features::all()
                      : seed % 3 == 1 ? Features::one_address_space()
                                      : Features::plain();
  if (seed % 3 == 2) {
    features.alignment = features.reserved = true;
    features.soft_costs = seed % 2 == 0;
    features.relations = {RelationKind::disjoint, RelationKind::same_offset, RelationKind::disjoint,
                          RelationKind::may_overlap};
  }
  features.twins = true;
  return random_problem(random, features);
}

/// Random places and modes.
Placement somewhere(Random& random, const PlacementProblem& problem) {
  Placement placement;
  for (const Buffer& buffer : problem.buffers) {
    const MemoryIndex m = random.pick(allowed_memories(problem, buffer));
    const Memory& memory = problem.memories[m];
    const Size grain = effective_alignment(buffer, memory);
    const Size room = std::max<Size>(0, memory.capacity - buffer.size) / grain;
    placement.places.push_back({m, grain * random.between(0, room)});
  }
  for (const Memory& memory : problem.memories) {
    auto& names = placement.modes.emplace_back();
    if (!has_modes(memory)) continue;
    for (Step t = 0; t < horizon(problem); ++t)
      names.push_back(random.pick(all_modes(memory)).name);
  }
  return placement;
}

TEST(RandomTwins, ExchangingThemChangesNothing) {
  const RandomRun run = from_environment({1, 3000});
  std::array<std::size_t, 3> kinds{};
  std::size_t kept = 0;
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    const PlacementProblem problem = problem_of(seed);
    const auto classes = facts::interchangeable_classes(problem);
    for (const facts::InterchangeableClass& same : classes)
      ++kinds[static_cast<std::size_t>(same.kind)];
    if (classes.empty()) continue;
    Random random(seed);
    const auto found = brute_force(problem);
    for (int k = 0; k < 20; ++k) {
      Placement placement = k == 0 && found ? found->placement : somewhere(random, problem);
      const facts::InterchangeableClass& same = random.pick(classes);
      const BufferIndex a = random.pick(same.buffers);
      const BufferIndex b = random.pick(same.buffers);
      const bool right = keeps_every_rule(problem, placement);
      const Cost cost = cost_by_pairs(problem, placement);
      kept += right && a != b ? 1 : 0;
      Placement exchanged = placement;
      std::swap(exchanged.places[a], exchanged.places[b]);
      ASSERT_EQ(keeps_every_rule(problem, exchanged), right) << "seed " << seed << to_yaml(problem);
      ASSERT_EQ(cost_by_pairs(problem, exchanged), cost) << "seed " << seed << to_yaml(problem);
      if (same.kind != facts::InterchangeableKind::together) continue;
      // At the place of the one with the lower cost.
      Placement one = placement;
      Placement other = placement;
      one.places[a] = placement.places[b];
      other.places[b] = placement.places[a];
      const Cost least = std::min(cost_by_pairs(problem, one), cost_by_pairs(problem, other));
      ASSERT_LE(least, cost) << "seed " << seed << to_yaml(problem);
      if (right) {
        ASSERT_TRUE(keeps_every_rule(problem, one)) << "seed " << seed << to_yaml(problem);
        ASSERT_TRUE(keeps_every_rule(problem, other)) << "seed " << seed << to_yaml(problem);
      }
    }
  }
  std::cout << kinds[0] << " classes apart, " << kinds[1] << " together, " << kinds[2]
            << " ordered; " << kept << " placements kept every rule\n";
  for (const std::size_t count : kinds) EXPECT_GT(count * 200, run.count);
  EXPECT_GT(kept * 10, run.count);
}

TEST(RandomTwins, AllEnginesAnswerLikeBruteForce) {
  const RandomRun run = from_environment({1, 600});
  AllEngines engines;
  std::size_t certified = 0;
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    const PlacementProblem problem = problem_of(seed);
    const Objective goal = seed % 4 == 2   ? Objective::cost
                           : seed % 8 == 3 ? Objective::modes
                           : seed % 8 == 7 ? Objective::switches
                                           : Objective::fit;
    const auto wrong = engines.wrong(problem, goal);
    ASSERT_FALSE(wrong) << "seed " << seed << ", " << *wrong;
    TextSink proof;
    engine::SearchParams search;
    search.seed = seed;
    search.proof = &proof;
    if (search::make_learning_engine({})->solve(problem, search).status != Status::infeasible)
      continue;
    const auto verdict = proof::check_proof_of(problem, {}, "derivation", proof.text);
    ASSERT_TRUE(verdict.accepted) << "seed " << seed << ": " << verdict.reason << to_yaml(problem);
    ++certified;
  }
  std::cout << run.count << " problems;" << engines.answered() << "; " << certified
            << " certificates accepted\n";
  EXPECT_GT(certified * 20, run.count);
}

}  // namespace
}  // namespace tessera::testing
