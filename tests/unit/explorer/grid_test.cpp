#include "explorer/grid.h"

#include <gtest/gtest.h>

#include <set>

namespace tessera::explorer {
namespace {

bool all(const Choice&) {
  return true;
}

TEST(Grid, CountsTheLastAxisQuickest) {
  EXPECT_EQ(grid({2, 2}, all), (std::vector<Choice>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(grid({}, all), (std::vector<Choice>{{}}));
  EXPECT_EQ(grid({3, 2}, [](const Choice& c) { return c[0] != c[1]; }),
            (std::vector<Choice>{{0, 1}, {1, 0}, {2, 0}, {2, 1}}));
}

TEST(Grid, KnowsSizesThatNoNumberHolds) {
  EXPECT_EQ(grid_size({2, 3, 4}), 24U);
  EXPECT_EQ(grid_size({std::size_t{1} << 40U, std::size_t{1} << 40U}), ~std::uint64_t{0});
}

TEST(Grid, SamplesAreDifferentInOrderAndTheSameForTheSameSeed) {
  const auto some = sample({10, 10}, 30, 7, all);
  EXPECT_EQ(some.size(), 30U);
  EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
  EXPECT_EQ(std::set<Choice>(some.begin(), some.end()).size(), 30U);
  EXPECT_EQ(some, sample({10, 10}, 30, 7, all));
  EXPECT_NE(some, sample({10, 10}, 30, 8, all));
  EXPECT_EQ(sample({2, 2}, 30, 7, all).size(), 4U);
}

TEST(Grid, SamplesAGridThatCannotBeListed) {
  const auto odd = [](const Choice& c) { return c[0] % 2 == 1; };
  const auto some = sample({100000, 100000, 1000}, 50, 3, odd);
  EXPECT_EQ(some.size(), 50U);
  for (const Choice& choice : some) EXPECT_TRUE(odd(choice));
}

}  // namespace
}  // namespace tessera::explorer
