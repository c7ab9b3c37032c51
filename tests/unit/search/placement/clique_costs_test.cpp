// Clique bounds on minimum costs, by hand. Compared with brute force in
// tests/random/slots_test.cpp.
#include "search/placement/clique_costs.h"

#include <gtest/gtest.h>

#include <string>

namespace tessera::search {
namespace {

/// Consecutive buffers that should all be separate.
PlacementProblem in_turn(const std::vector<Size>& sizes, Size capacity, Cost cost) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  Relation apart{RelationKind::avoid_overlap, {}, cost};
  for (BufferIndex b = 0; b < sizes.size(); ++b) {
    const auto step = static_cast<Step>(b);
    problem.buffers.push_back(
        {.id = "b" + std::to_string(b), .live = {{step, step + 1}}, .size = sizes[b]});
    problem.buffers.back().memories = {0};
    apart.buffers.push_back(b);
  }
  problem.relations.push_back(apart);
  return problem;
}

TEST(CliqueCosts, CountsPairsInSlots) {
  // Five in two slots: three and two.
  EXPECT_EQ(cost_bound_by_cliques(in_turn({10, 10, 10, 10, 10}, 20, 2), {}), 4 * 2);
  EXPECT_EQ(cost_bound_by_cliques(in_turn({10, 10, 10, 10, 10}, 50, 2), {}), 0);
}

TEST(CliqueCosts, AddsUpSizes) {
  // 6 bytes are missing; one overlap of a buffer of 5 with a small one does not save them.
  EXPECT_EQ(cost_bound_by_cliques(in_turn({20, 5, 5, 5}, 29, 3), {}), 2 * 3);
  EXPECT_EQ(cost_bound_by_cliques(in_turn({20, 5, 5, 5}, 30, 3), {}), 3);
  EXPECT_EQ(cost_bound_by_cliques(in_turn({20, 5, 5, 5}, 35, 3), {}), 0);
}

TEST(CliqueCosts, RoundsAllButOne) {
  PlacementProblem problem = in_turn({9, 9, 9}, 41, 1);
  for (Buffer& buffer : problem.buffers) buffer.alignment = 8;
  EXPECT_EQ(cost_bound_by_cliques(problem, {}), 0);
  problem.memories[0].capacity = 40;
  EXPECT_EQ(cost_bound_by_cliques(problem, {}), 1);
}

TEST(CliqueCosts, WhoLivesTogetherPaysNothing) {
  PlacementProblem problem = in_turn({10, 10, 10}, 20, 5);
  problem.buffers[1].live = problem.buffers[0].live;
  EXPECT_EQ(cost_bound_by_cliques(problem, {}), 5);
  problem.relations[0].buffers = {0, 1};
  EXPECT_EQ(cost_bound_by_cliques(problem, {}), 0);
}

TEST(CliqueCosts, MemoriesAddUp) {
  PlacementProblem problem = in_turn({10, 10, 10, 10, 10, 10}, 20, 1);
  problem.memories.push_back({.name = "n", .capacity = 10});
  for (BufferIndex b = 3; b < 6; ++b) problem.buffers[b].memories = {1};
  EXPECT_EQ(cost_bound_by_cliques(problem, {}), 1 + 3);
}

}  // namespace
}  // namespace tessera::search
