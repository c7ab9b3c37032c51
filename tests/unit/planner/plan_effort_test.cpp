#include "planner/plan_effort.h"

#include <gtest/gtest.h>

#include "planner/files.h"
#include "tests/support/convolutions.h"
#include "tests/support/paths.h"

namespace tessera {
namespace {

TEST(PlanEffort, GrowsAndEnds) {
  constexpr std::int64_t most = 20000;
  int level = 0;
  for (int steps = 0; steps < 20 && next_level(level, true, most) != level; ++steps) {
    const Effort now = effort_at(level, most);
    level = next_level(level, true, most);
    const Effort more = effort_at(level, most);
    EXPECT_GE(more.nodes, now.nodes);
    EXPECT_TRUE(more.worth == 0 || more.worth > now.worth);
    EXPECT_TRUE(more.nodes > now.nodes || more.worth != now.worth);
  }
  EXPECT_EQ(effort_at(level, most).nodes, most);
  EXPECT_EQ(effort_at(level, most).worth, 0);
}

TEST(PlanEffort, WhereNothingWasCutOffOnlyMoreNodesHelp) {
  const int level = next_level(0, false, 20000);
  EXPECT_GT(effort_at(level, 20000).nodes, effort_at(0, 20000).nodes);
  EXPECT_EQ(effort_at(next_level(0, false, 100), 100).worth, 0);
}

TEST(PlanEffort, RunsThatFetchMuchAreWorthFewTiles) {
  const Hardware hardware = load_profile("ethos-u65-like");
  const Network net = testing::convolutions(3, {.channels = 64, .rows = 8, .columns = 8, .pad = 1});
  const auto readers = last_readers(net);
  const ChannelUse use(net, readers);
  const Subgraph part = make_subgraph(net, {0, 2}, readers);
  const std::int64_t few = most_tiles_worth(part, 2, use, hardware, 2);
  const std::int64_t more = most_tiles_worth(part, 2, use, hardware, 4);
  EXPECT_GE(few, 1);
  EXPECT_GT(more, few);
  EXPECT_GT(most_tiles_worth(part, 2, use, hardware, 0), 1'000'000'000);
  const Subgraph one = make_subgraph(net, {2, 2}, readers);
  EXPECT_GT(most_tiles_worth(one, 2, use, hardware, 2), 1'000'000'000);
}

}  // namespace
}  // namespace tessera
