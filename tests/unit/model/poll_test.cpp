#include "model/poll.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Poll, CountsAsWorkWhereItIsAskedTo) {
  WorkMeter meter;
  Budget budget;
  budget.meter = &meter;
  Poll quiet(budget);
  for (int k = 0; k < 100'000; ++k) quiet();
  EXPECT_EQ(meter.done, 0);
  Poll poll(budget, 100);
  for (int k = 0; k < 100'000; ++k) poll();
  // It reports at intervals.
  EXPECT_GE(meter.done, 980);
  EXPECT_LE(meter.done, 1000);
}

/// As in a race that another engine has won meanwhile.
TEST(Poll, EndsWhenNoWorkIsLeft) {
  WorkMeter meter;
  meter.limit = 50;
  Budget budget;
  budget.meter = &meter;
  Poll poll(budget, 100);
  std::int64_t units = 0;
  try {
    for (; units < 1'000'000; ++units) poll();
    FAIL() << "it went on";
  } catch (const BudgetEnded& ended) {
    EXPECT_EQ(ended.reason, StopReason::node_limit);
    EXPECT_FALSE(ended.foreseen);
  }
  EXPECT_GE(units, 4'999);
  EXPECT_LE(units, 7'000);
}

}  // namespace
}  // namespace tessera
