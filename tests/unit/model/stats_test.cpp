#include <gtest/gtest.h>

#include <limits>

#include "tessera/placement.h"

namespace tessera {
namespace {

TEST(Stats, OfOneNameAreAddedUpWhereTheNameStoodFirst) {
  const Stats all = {{"canonical.nodes", std::int64_t{20'000}},
                     {"greedy.order", std::string("area")},
                     {"canonical.seconds", 0.5},
                     {"canonical.nodes", std::int64_t{7}},
                     {"canonical.seconds", 0.25},
                     {"greedy.order", std::string("area")},
                     {"greedy.order", std::string("size")},
                     {"canonical.seconds", std::int64_t{1}}};
  const Stats sums = added_up(all);
  ASSERT_EQ(sums.size(), 3U);
  EXPECT_EQ(sums[0].name, "canonical.nodes");
  EXPECT_EQ(std::get<std::int64_t>(sums[0].value), 20'007);
  EXPECT_EQ(sums[1].name, "greedy.order");
  EXPECT_EQ(std::get<std::string>(sums[1].value), "area, size");
  EXPECT_EQ(sums[2].name, "canonical.seconds");
  EXPECT_EQ(std::get<double>(sums[2].value), 1.75);
}

TEST(Stats, DoNotWrapAround) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Stats sums = added_up({{"n", most}, {"n", most}});
  EXPECT_EQ(std::get<std::int64_t>(sums.at(0).value), most);
}

}  // namespace
}  // namespace tessera
