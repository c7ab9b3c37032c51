#include "planner/descent.h"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::planner {
namespace {

std::vector<double> scores(const std::vector<Level>& levels) {
  std::vector<double> list;
  for (const Level& level : levels) list.push_back(level.score);
  return list;
}

TEST(WorthIt, ALongNetworkHasTheBestTwoThatAreNearlyAsGood) {
  const std::vector<Level> levels{{.score = 3}, {50, 1}, {40, 1.01}, {30, 1.015}, {20, 1.2}};
  EXPECT_EQ(scores(worth_it(levels, false)), (std::vector<double>{1, 1.01}));
  EXPECT_EQ(scores(worth_it({{.score = 1}, {50, 1.1}}, false)), (std::vector<double>{1}));
}

TEST(WorthIt, AShortNetworkHasManyAndAllOfTheMemory) {
  const std::vector<Level> levels{{.score = 3}, {50, 1}, {40, 1.01}, {30, 1.015}, {20, 1.2}};
  EXPECT_EQ(scores(worth_it(levels, true)), (std::vector<double>{1, 1.01, 1.015, 1.2, 3}));
  // Once.
  EXPECT_EQ(scores(worth_it({{.score = 1.3}, {50, 1}}, true)), (std::vector<double>{1, 1.3}));
}

}  // namespace
}  // namespace tessera::planner
