#include "search/partition/peak_intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace tessera::search {
namespace {

TEST(PeakIntervals, TheLeastBoundComesFirstAndOfEqualsTheHighestPeaks) {
  std::vector<PeakInterval> intervals{{0, 10, 5}, {10, 20, 3}, {20, 30, 3}, {30, 40, 4}};
  std::vector<std::int64_t> order;
  while (!intervals.empty()) order.push_back(take_next(intervals).hi);
  EXPECT_EQ(order, (std::vector<std::int64_t>{30, 20, 40, 10}));
}

TEST(PeakIntervals, NothingIsLeftWherePeaksCostNothing) {
  std::vector<PeakInterval> intervals;
  add_lower({-1, 100, 0}, 7, 50, 7, {.weight = 0, .floor = 0}, intervals);
  EXPECT_TRUE(intervals.empty());
  add_lower({-1, 100, 0}, 7, 0, 7, {.weight = 1, .floor = 0}, intervals);
  EXPECT_TRUE(intervals.empty());
}

/// Every peak at which a partition may be better is in one of the intervals, and their bounds are
/// tight: partitions below the path's peak cost as much as the path.
TEST(PeakIntervals, WhatIsLeftIsWhereACoverMayBeBetter) {
  std::mt19937_64 rng(5);
  int left = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto number = [&](std::uint64_t below) {
      return static_cast<std::int64_t>(rng() % below);
    };
    const std::int64_t lo = number(20) - 1;
    const PeakInterval of{lo, lo + 1 + number(40), 0};
    const PeakPrice price{.weight = 1 + static_cast<double>(number(3)), .floor = number(20)};
    const std::int64_t peak = std::min(of.hi, std::max(lo + 1, price.floor) + number(30));
    const auto cost = static_cast<double>(number(50));
    // A result as good may already be known.
    const double best = price.with(cost, peak) - static_cast<double>(number(20));
    std::vector<PeakInterval> intervals;
    add_lower(of, cost, peak, best, price, intervals);
    for (std::int64_t at = 0; at < 100; ++at) {
      const auto holds = [&](const PeakInterval& each) { return each.lo < at && at <= each.hi; };
      const auto holding = std::ranges::count_if(intervals, holds);
      const bool inside = of.lo < at && at < peak && at >= price.floor;
      EXPECT_LE(holding, inside ? 1 : 0) << i;
      if (inside && price.with(cost, at) < best) {
        EXPECT_EQ(holding, 1) << i;
        ++left;
      }
      for (const PeakInterval& each : intervals)
        if (holds(each)) {
          EXPECT_LE(each.bound, price.with(cost, at)) << i;
        }
    }
  }
  EXPECT_GT(left, 1000);
}

}  // namespace
}  // namespace tessera::search
