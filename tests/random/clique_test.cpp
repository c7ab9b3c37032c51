// Cliques of the conflict graph against brute force: the heaviest clique is the heaviest, and
// bounds on heights and capacities from cliques are true and certified.
//
//   random_clique_test                                            3,000 problems for each
//   TESSERA_RANDOM_SEED=17 TESSERA_RANDOM_COUNT=1 random_clique_test    repeats one of them
#include "facts/clique.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "facts/conflicts.h"
#include "facts/cut.h"
#include "placer/certificate.h"
#include "search/placement/bounds.h"
#include "tessera/claim.h"
#include "tests/support/brute_force.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"
#include "tests/support/seeds.h"

namespace tessera::testing {
namespace {

/// Short lifetimes, so that most pairs are separated by relations or not at all.
PlacementProblem short_lives(Random& random, std::size_t count) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m"});
  for (std::size_t b = 0; b < count; ++b) {
    const Step lower = random.between(0, 3 * static_cast<Step>(count));
    problem.buffers.push_back({.id = "b" + std::to_string(b),
                               .live = {{lower, lower + random.between(1, 4)}},
                               .size = random.between(1, 9)});
  }
  const int percent = static_cast<int>(random.between(10, 90));
  for (BufferIndex a = 0; a < count; ++a)
    for (BufferIndex b = 0; b < a; ++b)
      if (random.chance(percent)) problem.relations.push_back({RelationKind::disjoint, {b, a}, 0});
  return problem;
}

TEST(RandomClique, IsTheHeaviest) {
  for_each_seed(3000, [](std::uint64_t seed) {
    Random random(seed);
    const PlacementProblem problem = short_lives(random, random.below(13) + 1);
    const facts::ConflictGraph graph(problem, {0}, 100);
    const std::size_t count = graph.size();
    std::vector<Size> weights;
    for (std::size_t i = 0; i < count; ++i)
      weights.push_back(random.chance(10) ? 0 : problem.buffers[i].size);
    Size most = 0;
    for (std::uint64_t set = 0; set < std::uint64_t{1} << count; ++set) {
      Size weight = 0;
      bool clique = true;
      for (std::size_t i = 0; i < count && clique; ++i) {
        if ((set >> i & 1) == 0) continue;
        weight += weights[i];
        const std::uint64_t others = set & ~(std::uint64_t{1} << i);
        clique = (others & ~graph.row(i)[0]) == 0;
      }
      if (clique) most = std::max(most, weight);
    }
    const facts::Clique found = facts::heaviest_clique(graph, weights, 1'000'000);
    EXPECT_TRUE(found.heaviest);
    EXPECT_EQ(found.weight, most) << "seed " << seed;
    Size weight = 0;
    for (const std::size_t i : found.nodes) {
      weight += weights[i];
      for (const std::size_t j : found.nodes) EXPECT_TRUE(i == j || graph.conflict(i, j));
    }
    EXPECT_EQ(weight, most);
    // With very little work the incumbent is still a clique.
    const facts::Clique some = facts::heaviest_clique(graph, weights, 1);
    for (const std::size_t i : some.nodes)
      for (const std::size_t j : some.nodes) EXPECT_TRUE(i == j || graph.conflict(i, j));
    EXPECT_LE(some.weight, most);
  });
}

TEST(RandomClique, ConflictsHoldInEveryPlacement) {
  for_each_seed(3000, [](std::uint64_t seed) {
    Random random(seed);
    const PlacementProblem problem = random_problem(random, Features::all());
    const auto found = brute_force(problem);
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      const facts::ConflictGraph graph(problem, {m}, 100);
      for (std::size_t i = 0; i < graph.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
          const BufferIndex a = graph.buffer(i);
          const BufferIndex b = graph.buffer(j);
          EXPECT_EQ(graph.conflict(i, j), graph.conflict(j, i));
          EXPECT_EQ(graph.conflict(i, j), !facts::reason(problem, a, b).empty())
              << "seed " << seed << ": " << problem.buffers[a].id << ", " << problem.buffers[b].id
              << '\n'
              << to_yaml(problem);
          if (!found || !graph.conflict(i, j)) continue;
          const BufferPlace& one = found->placement.places[a];
          const BufferPlace& two = found->placement.places[b];
          const AddressRange here{one.offset, one.offset + problem.buffers[a].size};
          const AddressRange there{two.offset, two.offset + problem.buffers[b].size};
          EXPECT_FALSE(one.memory == two.memory && overlaps(here, there)) << "seed " << seed << '\n'
                                                                          << to_yaml(problem);
        }
    }
  });
}

/// Heights bounded by cliques are never too high, a capacity refuted by one is refuted by the
/// oracle, and each has a cut that proof/ accepts.
TEST(RandomClique, BoundsAreTrueAndCertified) {
  for_each_seed(3000, [](std::uint64_t seed) {
    Random random(seed);
    Features features;
    features.alignment = features.reserved = features.fixed_offsets = features.windows = true;
    features.intervals = random.chance(50);
    features.banks = features.no_straddle = random.chance(30);
    features.relations = {RelationKind::disjoint, RelationKind::same_offset, RelationKind::adjacent,
                          RelationKind::may_overlap, RelationKind::different_banks};
    const PlacementProblem problem = random_problem(random, features);
    const auto best = brute_force(problem, OracleGoal::height);
    const search::Bounds bounds = search::lower_bounds(problem, {});
    const std::string about = "seed " + std::to_string(seed) + '\n' + to_yaml(problem);
    if (bounds.infeasible) {
      EXPECT_FALSE(best) << about;
    }
    if (facts::find_cut(problem)) {
      EXPECT_FALSE(best) << about;
      EXPECT_TRUE(placer::proved_by_cut(problem, {})) << about;
    }
    if (best) {
      EXPECT_LE(bounds.heights[0], best->value) << about;
    }
    for (const std::vector<BufferIndex>& clique : facts::heavy_cliques(problem, 0)) {
      const Size height = facts::height_of(problem, 0, clique);
      if (best) {
        EXPECT_LE(height, best->value) << about;
      }
      if (height > problem.memories[0].capacity || height < 1) continue;
      EXPECT_TRUE(placer::proved_by_cut(problem, {ClaimKind::height, {0}, height}))
          << "height " << height << ", " << about;
    }
  });
}

}  // namespace
}  // namespace tessera::testing
