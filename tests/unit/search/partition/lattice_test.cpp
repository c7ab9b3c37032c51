// Compares the shortest path over resident items with all partitions and all sets of items.
#include "search/partition/lattice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/effort.h"
#include "tests/support/random.h"

namespace tessera::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Random;

struct Problem {
  GroupsOf groups;
  std::vector<ResidentItem> items;
};

Problem random_problem(Random& random) {
  Problem problem{.groups = {.ops = static_cast<std::size_t>(random.between(1, 7))}};
  if (random.chance(50)) problem.groups.max_ops = static_cast<std::size_t>(random.between(1, 4));
  const auto ops = static_cast<std::int64_t>(problem.groups.ops);
  for (std::int64_t maker = 0; maker + 1 < ops; ++maker)
    for (auto count = random.between(0, 2); count > 0; --count)
      if (problem.items.size() < 6)
        problem.items.push_back({static_cast<std::size_t>(maker),
                                 static_cast<std::size_t>(random.between(maker + 1, ops - 1)),
                                 random.between(0, 9)});
  return problem;
}

/// A cost for each group and its resident items; some are impossible.
double cost_of(std::uint64_t seed, const LatticeEdge& edge, std::span<const std::uint32_t> items) {
  std::uint64_t key = seed * 64 + edge.first * 8 + edge.last;
  for (const std::uint32_t k : items) key = key * 7 + k + 1;
  Random random(key);
  if (random.chance(10)) return infinity;
  return static_cast<double>(random.between(5, 40)) / static_cast<double>(1 + items.size());
}

double least_of_all(const Problem& problem, std::int64_t capacity, std::uint64_t seed) {
  double least = infinity;
  const std::size_t ops = problem.groups.ops;
  for (std::uint64_t cuts = 0; cuts < std::uint64_t{1} << (ops - 1); ++cuts)
    for (std::uint64_t set = 0; set < std::uint64_t{1} << problem.items.size(); ++set) {
      double cost = 0;
      for (std::size_t first = 0, last = 0; first < ops; first = ++last) {
        while (last + 1 < ops && (cuts >> last & 1U) == 0) ++last;
        std::vector<std::uint32_t> resident;
        std::int64_t bytes = 0;
        for (std::uint32_t k = 0; k < problem.items.size(); ++k) {
          const ResidentItem& item = problem.items[k];
          const bool inside = item.maker >= first && item.reader <= last;
          const bool there = item.maker <= last && item.reader >= first && !inside;
          if ((set >> k & 1U) == 0 || !there) continue;
          resident.push_back(k);
          bytes += item.bytes;
        }
        const LatticeEdge edge{.first = static_cast<std::uint32_t>(first),
                               .last = static_cast<std::uint32_t>(last)};
        cost += bytes > capacity || last - first + 1 > problem.groups.max_ops
                    ? infinity
                    : cost_of(seed, edge, resident);
      }
      least = std::min(least, cost);
    }
  return least;
}

/// The path has every op once, and its costs add up.
void expect_whole(const Lattice& lattice, const LatticePath& path, std::span<const double> costs,
                  std::size_t ops) {
  double sum = 0;
  std::size_t next = 0;
  for (const std::size_t k : path.edges) {
    const LatticeEdge& edge = lattice.edges()[k];
    EXPECT_EQ(edge.first, next);
    EXPECT_EQ(lattice.find(edge.first, edge.last, lattice.items(edge)), k);
    next = edge.last + 1;
    sum += costs[k];
  }
  EXPECT_EQ(next, ops);
  EXPECT_DOUBLE_EQ(sum, path.cost);
}

TEST(Lattice, ShortestPathIsTheLeastOfAllPartitionsAndSets) {
  int with_items = 0;
  for (std::uint64_t seed = 1; seed <= testing::effort(400); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Problem problem = random_problem(random);
    const Lattice lattice(problem.groups, problem.items, 40);
    std::vector<double> costs;
    for (const LatticeEdge& edge : lattice.edges())
      costs.push_back(cost_of(seed, edge, lattice.items(edge)));
    for (const std::int64_t capacity : {std::int64_t{0}, random.between(0, 12), std::int64_t{40}}) {
      const LatticePath path = lattice.shortest(costs, capacity);
      ASSERT_DOUBLE_EQ(path.cost, least_of_all(problem, capacity, seed));
      if (path.cost == infinity) continue;
      expect_whole(lattice, path, costs, problem.groups.ops);
      for (const std::size_t k : path.edges) with_items += lattice.edges()[k].items > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(with_items, 10);
}

TEST(Lattice, HasTheLargestItems) {
  const std::vector<ResidentItem> items{{0, 3, 10}, {1, 3, 30}, {2, 3, 20}};
  EXPECT_THAT(distinct_items(items, {.ops = 4}, 1000), ElementsAre(0, 1, 2));
  // Ten groups; with one item over each cut point, and with two.
  EXPECT_THAT(distinct_items(items, {.ops = 4}, 17), ElementsAre(1));
  EXPECT_THAT(distinct_items(items, {.ops = 4}, 9), IsEmpty());
  // Four groups of one op.
  EXPECT_THAT(distinct_items(items, {.ops = 4, .max_ops = 1}, 9), ElementsAre(1));
}

TEST(Lattice, LeavesOutGroupsWhoseItemsDoNotFit) {
  const std::vector<ResidentItem> items{{0, 1, 10}};
  EXPECT_EQ(Lattice({.ops = 2}, items, 9).edges().size(), 3U);
  EXPECT_EQ(Lattice({.ops = 2}, items, 10).edges().size(), 5U);
}

}  // namespace
}  // namespace tessera::search
