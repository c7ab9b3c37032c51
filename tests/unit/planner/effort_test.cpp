#include "planner/effort.h"

#include <gtest/gtest.h>

namespace tessera::planner {
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

}  // namespace
}  // namespace tessera::planner
