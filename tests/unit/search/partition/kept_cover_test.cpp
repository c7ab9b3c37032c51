// The shortest path over what is kept, against all covers with all sets of items.
#include "search/partition/kept_cover.h"

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

/// A cost for each run and what it keeps, which is less the more it keeps.
class Costs {
 public:
  explicit Costs(std::uint64_t seed) : seed_(seed) {}
  double operator()(std::size_t first, std::size_t last, std::span<const std::size_t> kept) {
    std::vector<std::size_t> key{first, last};
    key.insert(key.end(), kept.begin(), kept.end());
    const auto [at, is_new] = known_.try_emplace(key, 0);
    if (is_new) {
      Random random(seed_ ^ (known_.size() * 0x9e37));
      at->second =
          static_cast<double>(random.between(5, 40)) / static_cast<double>(1 + kept.size());
      if (random.chance(10)) at->second = std::numeric_limits<double>::infinity();
    }
    return at->second;
  }

 private:
  std::uint64_t seed_;
  std::map<std::vector<std::size_t>, double> known_;
};

bool is_there(const RunsOf& runs, std::size_t first, std::size_t last) {
  return last - first + 1 <= runs.max_ops &&
         (runs.lasts.empty() || std::ranges::binary_search(runs.lasts[first], last));
}

double least_of_all(const KeptCoverProblem& problem, std::int64_t room) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t cuts = 0; cuts < std::uint64_t{1} << (problem.runs.ops - 1); ++cuts)
    for (std::uint64_t set = 0; set < std::uint64_t{1} << problem.items.size(); ++set) {
      double cost = 0;
      for (std::size_t first = 0, last = 0; first < problem.runs.ops; first = ++last) {
        while (last + 1 < problem.runs.ops && (cuts >> last & 1U) == 0) ++last;
        std::vector<std::size_t> kept;
        std::int64_t bytes = 0;
        for (std::size_t k = 0; k < problem.items.size(); ++k) {
          const KeptItem& item = problem.items[k];
          const bool inside = item.maker >= first && item.reader <= last;
          const bool there = item.maker <= last && item.reader >= first && !inside;
          if ((set >> k & 1U) == 0 || !there) continue;
          kept.push_back(k);
          bytes += item.bytes;
        }
        if (bytes > room || !is_there(problem.runs, first, last))
          cost = std::numeric_limits<double>::infinity();
        else
          cost += problem.cost(first, last, kept);
      }
      least = std::min(least, cost);
    }
  return least;
}

TEST(KeptCover, IsTheLeastOfAllCoversAndSets) {
  int kept = 0;
  for (std::uint64_t seed = 1; seed <= testing::effort(400); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    KeptCoverProblem problem{.runs = {.ops = static_cast<std::size_t>(random.between(1, 7))}};
    if (random.chance(50)) problem.runs.max_ops = static_cast<std::size_t>(random.between(1, 4));
    if (random.chance(50)) {
      problem.runs.lasts.resize(problem.runs.ops);
      for (std::size_t first = 0; first < problem.runs.ops; ++first)
        for (std::size_t last = first; last < problem.runs.ops; ++last)
          if (random.chance(70)) problem.runs.lasts[first].push_back(last);
    }
    for (std::size_t maker = 0; maker + 1 < problem.runs.ops; ++maker)
      for (int count = static_cast<int>(random.between(0, 2)); count > 0; --count)
        if (problem.items.size() < 6)
          problem.items.push_back({maker,
                                   static_cast<std::size_t>(random.between(
                                       static_cast<std::int64_t>(maker) + 1,
                                       static_cast<std::int64_t>(problem.runs.ops) - 1)),
                                   random.between(0, 9)});
    problem.capacities = {0, random.between(0, 12), random.between(0, 40)};
    Costs costs(seed);
    problem.cost = std::ref(costs);
    const std::vector<KeptCover> found = kept_covers(problem, {});
    ASSERT_EQ(found.size(), problem.capacities.size());
    for (std::size_t room = 0; room < found.size(); ++room) {
      ASSERT_DOUBLE_EQ(found[room].cost, least_of_all(problem, problem.capacities[room]));
      if (found[room].runs.empty()) continue;
      double sum = 0;
      std::size_t next = 0;
      for (const KeptRun& run : found[room].runs) {
        ASSERT_EQ(run.first, next);
        next = run.last + 1;
        sum += costs(run.first, run.last, run.kept);
        kept += run.kept.empty() ? 0 : 1;
      }
      ASSERT_EQ(next, problem.runs.ops);
      ASSERT_DOUBLE_EQ(sum, found[room].cost);
    }
  }
  EXPECT_GT(kept, 10);
}

TEST(KeptCover, TellsTheLargestApart) {
  const std::vector<KeptItem> items{{0, 3, 10}, {1, 3, 30}, {2, 3, 20}};
  EXPECT_THAT(distinct_items(items, {.ops = 4}, 1000), ElementsAre(0, 1, 2));
  // Ten runs; with one item over each cut, and with two.
  EXPECT_THAT(distinct_items(items, {.ops = 4}, 17), ElementsAre(1));
  EXPECT_THAT(distinct_items(items, {.ops = 4}, 9), IsEmpty());
  // Four runs of one op.
  EXPECT_THAT(distinct_items(items, {.ops = 4, .lasts = {{0}, {1}, {2}, {3}}}, 9), ElementsAre(1));
}

TEST(KeptCover, EndsWithTheBudget) {
  KeptCoverProblem problem{.runs = {.ops = 2}, .capacities = {1}};
  problem.cost = [](std::size_t, std::size_t, std::span<const std::size_t>) { return 1.0; };
  Budget ended;
  ended.deadline = std::chrono::steady_clock::time_point::min();
  EXPECT_THAT(kept_covers(problem, ended), IsEmpty());
}

}  // namespace
}  // namespace tessera::search
