#include "planner/made_ahead.h"

#include <gtest/gtest.h>

#include "planner/plan_memory.h"

namespace tessera::planner {
namespace {

TEST(MadeAhead, OneBeginsAndOneTakes) {
  MadeAhead ahead;
  EXPECT_EQ(ahead.take("a"), nullptr);
  EXPECT_FALSE(ahead.under_way("a"));
  const auto made = ahead.begin("a");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(ahead.begin("a"), nullptr);
  EXPECT_NE(ahead.begin("b"), nullptr);
  EXPECT_TRUE(ahead.under_way("a"));
  made->promise.set_value(std::make_shared<const CandidateAnswer>());
  EXPECT_FALSE(ahead.under_way("a"));
  const auto taken = ahead.take("a");
  ASSERT_EQ(taken, made);
  EXPECT_NE(taken->answer.get(), nullptr);
  EXPECT_EQ(ahead.take("a"), nullptr);
}

TEST(MadeAhead, WhatWasBegunAgainIsNotDropped) {
  MadeAhead ahead;
  const auto first = ahead.begin("a");
  EXPECT_EQ(ahead.take("a"), first);
  const auto second = ahead.begin("a");
  ahead.drop("a", first);
  EXPECT_EQ(ahead.begin("a"), nullptr);
  ahead.drop("a", second);
  EXPECT_NE(ahead.begin("a"), nullptr);
}

TEST(MadeAhead, WhoeverAsksTheMemoryIsToldThatSomebodyIsAtIt) {
  PlanMemory memory;
  EXPECT_FALSE(memory.under_way("a"));
  const auto made = memory.ahead().begin("a");
  EXPECT_TRUE(memory.under_way("a"));
  made->promise.set_value(nullptr);
  EXPECT_FALSE(memory.under_way("a"));
  bool fresh = false;
  static_cast<void>(memory.get("b", fresh, [&] {
    EXPECT_TRUE(memory.under_way("b"));
    return CandidateAnswer{};
  }));
  EXPECT_TRUE(fresh);
  EXPECT_FALSE(memory.under_way("b"));
}

}  // namespace
}  // namespace tessera::planner
