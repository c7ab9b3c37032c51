#include "validation/limited_budget.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "tests/support/effort.h"

namespace tessera::validation {
namespace {

TEST(LimitedBudgetTest, ACallWithinACallHasWhatIsLeft) {
  using namespace std::chrono_literals;
  constexpr Size whole = Size{64} << 20U;
  const Limits limits{.timeout = 10min, .memory = whole, .threads = 3, .seed = 7};
  const LimitedBudget outer(limits);
  std::vector<char> taken(std::size_t{40} << 20U, 1);
  std::this_thread::sleep_for(5ms);  // the memory of the process is polled at intervals
  const Limits rest = rest_of(limits, outer.budget());
  EXPECT_LT(*rest.timeout, 10min);
  EXPECT_GT(*rest.timeout, 9min);
  EXPECT_EQ(rest.threads, 3);
  EXPECT_EQ(rest.seed, 7U);
  if (resident_memory() > 0 && !testing::sanitized) {
    EXPECT_LT(*rest.memory, whole / 2);
  }
  EXPECT_GE(*rest.memory, 1);
  EXPECT_EQ(taken.back(), 1);
}

TEST(LimitedBudgetTest, WhatHasNoLimitHasNoneWithin) {
  const LimitedBudget outer(Limits{});
  const Limits rest = rest_of(Limits{}, outer.budget());
  EXPECT_FALSE(rest.timeout);
  EXPECT_FALSE(rest.memory);
}

}  // namespace
}  // namespace tessera::validation
