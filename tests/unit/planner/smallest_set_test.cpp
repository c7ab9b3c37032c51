// The smallest sufficient set, against all sets.
#include "planner/smallest_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "tests/support/random.h"

namespace tessera::planner {
namespace {

using testing::Random;

std::uint64_t mask_of(const std::vector<bool>& in) {
  std::uint64_t mask = 0;
  for (std::size_t k = 0; k < in.size(); ++k)
    if (in[k]) mask |= std::uint64_t{1} << k;
  return mask;
}

/// A set is sufficient if it contains one of some sets. Some other sets are undecided.
struct Question {
  std::size_t things = 0;
  std::vector<std::uint64_t> enough;
  std::vector<std::uint64_t> open;  ///< undecided sets, unless they are sufficient

  [[nodiscard]] bool is_enough(std::uint64_t set) const {
    return std::ranges::any_of(enough, [&](std::uint64_t each) { return (each & ~set) == 0; });
  }
  [[nodiscard]] Enough answer(std::uint64_t set) const {
    if (std::ranges::count(open, set) > 0) return Enough::open;
    return is_enough(set) ? Enough::yes : Enough::no;
  }
};

Question random_question(Random& random) {
  Question q;
  q.things = 1 + random.below(7);
  const std::uint64_t sets = std::uint64_t{1} << q.things;
  const std::size_t count = 1 + random.below(4);
  for (std::size_t k = 0; k < count; ++k) q.enough.push_back(random.below(sets));
  if (random.chance(50))
    for (std::size_t k = random.below(5); k > 0; --k) q.open.push_back(random.below(sets));
  return q;
}

TEST(SmallestSet, IsTheSmallestOfAllSets) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const Question q = random_question(random);
    std::vector<std::size_t> known;
    const std::uint64_t all = q.enough.front();
    for (std::size_t k = 0; k < q.things; ++k)
      if ((all >> k & 1) != 0) known.push_back(k);
    const SmallestSet found =
        smallest_set({.things = q.things,
                      .one_of = {},
                      .known = known,
                      .enough = [&](const std::vector<bool>& in) { return q.answer(mask_of(in)); },
                      .budget = {}});
    std::size_t least = q.things;
    for (std::uint64_t set = 0; set < std::uint64_t{1} << q.things; ++set)
      if (q.is_enough(set)) least = std::min(least, static_cast<std::size_t>(std::popcount(set)));
    std::uint64_t mask = 0;
    for (const std::size_t thing : found.set) mask |= std::uint64_t{1} << thing;
    const std::string where = "seed " + std::to_string(seed);
    EXPECT_TRUE(q.is_enough(mask)) << where;
    EXPECT_LE(found.set.size(), known.size()) << where;
    EXPECT_LE(found.bound, least) << where;
    if (!q.open.empty()) continue;
    EXPECT_EQ(found.set.size(), least) << where;
    EXPECT_TRUE(found.proved()) << where;
  }
}

TEST(SmallestSet, WhatIsKnownIsTheAnswerWhenThereIsNoTime) {
  std::stop_source stop;
  stop.request_stop();
  Budget budget;
  budget.stop = stop.get_token();
  const SmallestSet found =
      smallest_set({.things = 5,
                    .one_of = {{0, 1}, {3, 4}},
                    .known = {0, 2, 3},
                    .enough = [](const std::vector<bool>&) { return Enough::yes; },
                    .budget = budget});
  EXPECT_EQ(found.set, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(found.bound, 2);  // one of each list
}

}  // namespace
}  // namespace tessera::planner
