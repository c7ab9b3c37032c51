#include "search/learning/pair_keys.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/random.h"

namespace tessera::search::learning {
namespace {

TEST(PairKeys, ArePairsWhicheverComesFirst) {
  PairKeys pairs;
  EXPECT_FALSE(pairs.contains(0, 1));
  pairs.add(3, 1, 7);
  EXPECT_TRUE(pairs.contains(3, 1));
  EXPECT_TRUE(pairs.contains(1, 3));
  EXPECT_FALSE(pairs.contains(1, 2));
  ASSERT_NE(pairs.find(1, 3), nullptr);
  EXPECT_EQ(*pairs.find(1, 3), 7U);
  ASSERT_EQ(pairs.sorted().size(), 1U);
  EXPECT_EQ(pairs.sorted()[0], PairKeys::Entry({3, 1}, 7));  // in insertion order
}

TEST(PairKeys, AreWhatAMapWouldHold) {
  testing::Random random(5);
  PairKeys pairs;
  std::map<std::pair<ItemIndex, ItemIndex>, Key> known;
  for (Key k = 0; k < 3000; ++k) {
    const auto i = static_cast<ItemIndex>(random.below(120));
    const auto j = static_cast<ItemIndex>(random.below(120));
    const bool is_known = known.contains({i, j}) || known.contains({j, i});
    ASSERT_EQ(pairs.contains(i, j), is_known) << i << ' ' << j;
    if (i == j || is_known) continue;
    pairs.add(i, j, k);
    known[{i, j}] = k;
    // Sorted entries can be found and extended.
    if (k % 500 == 0) static_cast<void>(pairs.sorted());
  }
  EXPECT_EQ(pairs.sorted(), std::vector<PairKeys::Entry>(known.begin(), known.end()));
  for (const auto& [pair, key] : known) EXPECT_EQ(*pairs.find(pair.second, pair.first), key);
}

}  // namespace
}  // namespace tessera::search::learning
