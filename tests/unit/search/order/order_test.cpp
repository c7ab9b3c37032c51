// Parts of the order search on graphs small enough to enumerate all down-sets.
#include <gtest/gtest.h>

#include <algorithm>

#include "search/order/beam.h"
#include "search/order/bounds.h"
#include "search/order/exact.h"
#include "search/order/least_peak.h"
#include "tests/support/random.h"

namespace tessera::search {
namespace {

/// Ops in the order of their numbers, each with one output and up to three inputs.
OpGraph small_graph(testing::Random& random, std::size_t ops) {
  OpGraph graph{.ops = ops, .before = std::vector<std::vector<OpId>>(ops)};
  for (OpId op = 0; op < ops; ++op) {
    for (int k = 0; k < 3 && op > 0; ++k)
      if (random.chance(50)) graph.before[op].push_back(static_cast<OpId>(random.below(op)));
    std::ranges::sort(graph.before[op]);
    graph.before[op].erase(std::unique(graph.before[op].begin(), graph.before[op].end()),
                           graph.before[op].end());
    for (const OpId p : graph.before[op]) graph.storages[p].end.push_back(op);
    graph.storages.push_back({.size = random.between(1, 9), .begin = {op}, .end = {op}});
  }
  for (Storage& each : graph.storages) each.stays = each.end.size() == 1;
  return graph;
}

/// Calls `use` with every down-set of the graph, as a path to it.
template <typename Use>
void all_positions(Walk& walk, std::vector<bool>& seen, Use use) {
  const std::uint64_t set = walk.set()[0];
  if (seen[set]) return;
  seen[set] = true;
  use();
  const std::vector<OpId> ready(walk.ready().begin(), walk.ready().end());
  for (const OpId op : ready) {
    walk.run(op);
    all_positions(walk, seen, use);
    walk.back();
  }
}

TEST(CutBounds, IsTheLeastOverAllDownSets) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    testing::Random random(seed);
    const OpGraph graph = small_graph(random, 9);
    const OpTables tables(graph);
    std::vector<Size> least(graph.ops, max_address);
    Walk walk(tables);
    std::vector<bool> seen(std::size_t{1} << graph.ops);
    all_positions(walk, seen, [&] {
      for (const OpId op : walk.ready()) least[op] = std::min(least[op], walk.while_running(op));
    });
    CutBounds cuts(tables);
    for (OpId op = 0; op < graph.ops; ++op) EXPECT_EQ(cuts.at(op), least[op]) << seed << ' ' << op;
  }
}

TEST(Walk, BackRestoresEverything) {
  testing::Random random(1);
  const OpGraph graph = small_graph(random, 30);
  const OpTables tables(graph);
  Walk walk(tables);
  std::vector<Size> live;
  while (!walk.complete()) {
    live.push_back(walk.live());
    const Size change = walk.change(walk.ready()[0]);
    walk.run(walk.ready()[0]);
    EXPECT_EQ(walk.live(), live.back() + change);
  }
  while (!walk.path().empty()) {
    walk.back();
    EXPECT_EQ(walk.live(), live[walk.path().size()]);
  }
}

TEST(ExactOrder, BothDirectionsAgree) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    testing::Random random(seed);
    const OpGraph graph = small_graph(random, 12);
    const OpGraph mirror = reversed(graph);
    ExactOrder forwards(graph, {.most = max_address});
    ExactOrder backwards(mirror, {.most = max_address});
    while (!forwards.finished()) forwards.advance(100);
    while (!backwards.finished()) backwards.advance(100);
    EXPECT_EQ(forwards.bound(), backwards.bound()) << seed;
    EXPECT_EQ(peak_of(graph, forwards.found().value()), forwards.bound()) << seed;
    std::vector<OpId> order = backwards.found().value();
    std::ranges::reverse(order);
    EXPECT_TRUE(is_order(graph, order)) << seed;
    EXPECT_EQ(peak_of(graph, order), forwards.bound()) << seed;
  }
}

TEST(ExactOrder, BelowTheLeastPeakThereIsNothing) {
  testing::Random random(5);
  const OpGraph graph = small_graph(random, 14);
  ExactOrder free(graph, {.most = max_address});
  while (!free.finished()) free.advance(100);
  ExactOrder limited(graph, {.most = free.bound()});
  while (!limited.finished()) limited.advance(100);
  EXPECT_FALSE(limited.found());
  EXPECT_EQ(limited.bound(), free.bound());
}

TEST(SafeMoves, ParallelChainsNeedNoSearch) {
  // 12 branches that each grow and shrink: without safe moves, 3^12 down-sets.
  OpGraph graph{.ops = 26, .before = std::vector<std::vector<OpId>>(26)};
  graph.storages.push_back({.size = 1, .begin = {0}, .end = {0}});
  for (OpId k = 0; k < 12; ++k) {
    const OpId wide = 1 + 2 * k;
    graph.before[wide] = {0};
    graph.before[wide + 1] = {wide};
    graph.before[25].push_back(wide + 1);
    graph.storages[0].end.push_back(wide);
    graph.storages.push_back({.size = 100, .begin = {wide}, .end = {wide, wide + 1}});
    graph.storages.push_back({.size = 0, .begin = {wide + 1}, .end = {wide + 1, 25}});
  }
  graph.storages.push_back({.size = 5, .begin = {25}, .end = {25}, .stays = true});
  ExactOrder search(graph, {.least = 101, .most = max_address});
  while (!search.finished()) search.advance(100);
  EXPECT_EQ(search.bound(), 101);
  EXPECT_LT(search.steps(), 10);
}

TEST(Segments, CutAtOpsThatAllOthersPrecedeOrFollow) {
  // 0 -> {1, 2} -> 3 -> {4, 5} -> 6
  const OpGraph graph{.ops = 7, .before = {{}, {0}, {0}, {1, 2}, {3}, {3}, {4, 5}}};
  const std::vector<std::vector<OpId>> expected{{0}, {1, 2}, {3}, {4, 5}, {6}};
  EXPECT_EQ(segments_of(graph), expected);
  const OpGraph two{.ops = 2, .before = {{}, {}}};
  EXPECT_EQ(segments_of(two).size(), 1U);
}

TEST(LeastPeak, ALimitKeepsTheStart) {
  testing::Random random(3);
  const OpGraph graph = small_graph(random, 40);
  std::vector<OpId> start(graph.ops);
  for (OpId op = 0; op < graph.ops; ++op) start[op] = op;
  const PeakResult result = least_peak(graph, {.start = start, .work = 0});
  EXPECT_TRUE(is_order(graph, result.order));
  EXPECT_LE(result.peak, peak_of(graph, start));
  EXPECT_LE(result.bound, result.peak);
}

TEST(LeastPeak, NoOps) {
  const PeakResult result = least_peak({.base = 5});
  EXPECT_TRUE(result.order.empty());
  EXPECT_EQ(result.peak, 5);
  EXPECT_EQ(result.bound, 5);
}

}  // namespace
}  // namespace tessera::search
