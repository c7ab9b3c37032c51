#include "facts/clique.h"

#include <gtest/gtest.h>

#include "facts/conflicts.h"
#include "facts/cut.h"
#include "model/claim_problem.h"
#include "tessera/claim.h"

namespace tessera::facts {
namespace {

/// Buffers of these sizes with disjoint lifetimes.
PlacementProblem one_by_one(const std::vector<Size>& sizes, Size capacity) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  for (const Size size : sizes) {
    const auto step = static_cast<Step>(problem.buffers.size());
    problem.buffers.push_back({.id = std::string(1, static_cast<char>('a' + step)),
                               .live = {{step, step + 1}},
                               .size = size});
  }
  return problem;
}

void keep_apart(PlacementProblem& problem, const std::vector<BufferIndex>& buffers) {
  problem.relations.push_back({RelationKind::disjoint, buffers, 0});
}

TEST(Clique, NothingWhereOnlyTimeSeparates) {
  EXPECT_TRUE(heavy_cliques(one_by_one({1, 2, 3}, 8), 0).empty());
}

// A buffer with a choice of memories that shares the offset of a node represents it, but is no node
// itself.
TEST(Clique, NodesAreAdjacentToNodesAlone) {
  PlacementProblem problem = one_by_one({2, 3, 2}, 20);
  problem.memories.push_back({.name = "n", .capacity = 20});
  problem.buffers[0].memories = problem.buffers[1].memories = {0};
  problem.buffers[2].live = problem.buffers[1].live;
  problem.relations.push_back({RelationKind::same_offset, {0, 2}, 0});
  const ConflictGraph graph(problem, {0}, 10);
  ASSERT_EQ(graph.size(), 2U);
  ASSERT_EQ(graph.words(), 1U);
  EXPECT_TRUE(graph.conflict(0, 1));  // because the third is live with it
  for (std::size_t i = 0; i < graph.size(); ++i) EXPECT_EQ(graph.row(i)[0] >> graph.size(), 0U);
}

TEST(Clique, TheHeaviestOfSeveral) {
  PlacementProblem problem = one_by_one({5, 4, 3, 2, 2, 2}, 20);
  keep_apart(problem, {0, 1});
  keep_apart(problem, {2, 3, 4, 5});
  keep_apart(problem, {0, 3, 4});
  const auto cliques = heavy_cliques(problem, 0);
  ASSERT_EQ(cliques.size(), 1U);
  EXPECT_EQ(height_of(problem, 0, cliques[0]), 9);
}

TEST(Clique, RoundsUpAllButTheHighestOfAStretch) {
  PlacementProblem problem = one_by_one({5, 5, 5}, 64);
  keep_apart(problem, {0, 1, 2});
  for (Buffer& buffer : problem.buffers) buffer.alignment = 4;
  EXPECT_EQ(height_of(problem, 0, std::vector<BufferIndex>{0, 1, 2}), 21);
  // At most 7 bytes below the range; of the remaining 14, 3 need no rounding, above 12.
  problem.memories[0].reserved = {{7, 10}};
  EXPECT_EQ(height_of(problem, 0, std::vector<BufferIndex>{0, 1, 2}), 23);
}

TEST(Clique, RefutesACapacityWithACut) {
  PlacementProblem problem = one_by_one({4, 4, 4, 9}, 11);
  keep_apart(problem, {0, 1, 2});
  const auto cut = find_cut(problem);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->buffers, (std::vector<BufferIndex>{0, 1, 2}));
  EXPECT_EQ(describe(problem, *cut),
            "3 buffers that never share a byte need 12 bytes, but m has 11.");
  problem.memories[0].capacity = 12;
  EXPECT_FALSE(find_cut(problem));
  EXPECT_TRUE(find_cut(counterexample_problem(problem, {ClaimKind::height, {0}, 12})));
}

TEST(Clique, SaysWhy) {
  PlacementProblem problem = one_by_one({4, 4, 4, 4}, 11);
  keep_apart(problem, {0, 1, 2, 3});
  EXPECT_EQ(why_apart(problem, std::vector<BufferIndex>{0, 1, 2}),
            "rules of the input keep all of them apart");
  problem.buffers[3].live = {{1, 3}};
  EXPECT_EQ(why_apart(problem, std::vector<BufferIndex>{0, 1, 3}),
            "2 live together at step 1, rules of the input keep the other one apart");
  EXPECT_EQ(why_apart(problem, std::vector<BufferIndex>{1, 3}), "all live together at step 1");
}

}  // namespace
}  // namespace tessera::facts
