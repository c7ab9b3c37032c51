#include "tessera/plan_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera {
namespace {

PlanScope read(const std::vector<std::string>& words) {
  PlanScope scope;
  for (const std::string& word : words) EXPECT_TRUE(add_word(word, scope)) << word;
  return scope;
}

TEST(PlanScope, WordsSayAll) {
  using enum PlanScope::Tiles;
  for (const PlanScope::Tiles tiles : {fewest, evaluated, any})
    for (int bits = 0; bits < 32; ++bits)
      for (int k = 0; k < 9; ++k) {
        PlanScope scope{.tiles = tiles,
                        .without_halo_reuse = (bits & 1) != 0,
                        .joined = (bits & 2) != 0,
                        .residency = (bits & 4) != 0,
                        .prefetch = static_cast<PlanScope::Prefetch>(k % 3),
                        .pins = static_cast<PlanScope::Pins>(k / 3),
                        .peak_limits = (bits & 8) != 0};
        if ((bits & 16) != 0) scope.max_ops = 3;
        EXPECT_EQ(read(words_of(scope)), scope) << to_text(scope);
      }
}

TEST(PlanScope, TextAndWords) {
  const PlanScope scope{.tiles = PlanScope::Tiles::any, .max_ops = 2, .residency = true};
  EXPECT_EQ(to_text(scope),
            "partitions into groups of consecutive ops, at most 2 ops per group, with any tiling "
            "of the profile, with any residency between groups");
  EXPECT_THAT(words_of(scope),
              ::testing::ElementsAre("at most 2 ops per group", "any tiles", "any residency"));
  EXPECT_EQ(to_text({}), "");
}

TEST(PlanScope, OtherWordsAreRefused) {
  PlanScope scope;
  for (const char* word :
       {"", "any", "at most ops per group", "at most x ops per group", "at most 3x ops per group",
        "at most 99999999999999999999 ops per group"})
    EXPECT_FALSE(add_word(word, scope)) << word;
  EXPECT_EQ(scope, PlanScope{});
}

}  // namespace
}  // namespace tessera
