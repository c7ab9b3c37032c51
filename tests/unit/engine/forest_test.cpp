#include "engine/forest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tessera/errors.h"

namespace tessera::engine {
namespace {

constexpr std::array<std::string_view, 3> features = {"size", "level", "life"};

constexpr const char* two_trees =
    "# how it was made\n"
    "features life size\n"
    "base 0.5\n"
    "threshold 2\n"
    "tree\n"
    "0 10\n"  // lifetime < 10?
    "1 3\n"   //   size < 3?
    "= 1\n"
    "= 2\n"
    "= 4\n"
    "tree\n"
    "= 8\n";

double value(const Forest& forest, float size, float life) {
  return forest.value(std::array{size, 99.0F, life});
}

TEST(Forest, AddsWhatItsTreesSay) {
  const Forest forest = Forest::read(two_trees, features);
  EXPECT_EQ(forest.trees(), 2U);
  EXPECT_EQ(forest.threshold(), 2);
  EXPECT_EQ(value(forest, 2, 9), 9.5);
  EXPECT_EQ(value(forest, 3, 9), 10.5);  // equal values take the other branch
  EXPECT_EQ(value(forest, 2, 10), 12.5);
  EXPECT_EQ(value(forest, 5, 11), 12.5);
}

TEST(Forest, SecondBranchesMayHaveBranches) {
  const Forest forest = Forest::read(
      "features size\ntree\n0 1\n= 1\n0 2\n= 2\n0 3\n= 3\n= 4\ntree\n0 1\n= 10\n= 20\n", features);
  EXPECT_EQ(value(forest, 0, 0), 11);
  EXPECT_EQ(value(forest, 1, 0), 22);
  EXPECT_EQ(value(forest, 2, 0), 23);
  EXPECT_EQ(value(forest, 7, 0), 24);
}

TEST(Forest, RefusesWhatIsNone) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "the forest has no tree"},
      {"features size\ntree\n0 1\n= 1\n", "the last tree has no end"},
      {"features weight\ntree\n= 1\n", "line 1 of a forest: 'weight' is not a known feature"},
      {"features size\ntree\n1 1\n= 1\n= 1\n", "line 3 of a forest: unknown feature 1"},
      {"features size\ntree\n-1 1\n= 1\n= 1\n", "unknown feature -1"},
      {"features size\ntree\n0.5 1\n= 1\n= 1\n", "unknown feature 0.5"},
      {"features size\ntree\n0 nan\n= 1\n= 1\n", "'nan' is not a number"},
      {"features size\ntree\n0 1 2\n", "a line of two words is expected"},
      {"features size\ntree\n= 1\n= 2\n", "'=' is not one of"},
      {"bias 1\n", "'bias' is not one of"}};
  for (const auto& [text, sentence] : wrong) {
    SCOPED_TRACE(text);
    try {
      static_cast<void>(Forest::read(text, features));
      ADD_FAILURE() << "it was read";
    } catch (const BadInput& bad) {
      EXPECT_NE(std::string(bad.what()).find(sentence), std::string::npos) << bad.what();
    }
  }
}

}  // namespace
}  // namespace tessera::engine
