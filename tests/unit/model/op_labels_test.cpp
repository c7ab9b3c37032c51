#include "model/op_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "model/utf8.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;

TEST(ShortenedApart, NamesThatDifferStayDifferent) {
  const std::string begin = "model/backbone/features/";
  const std::string end = "/separable_convolution/depthwise/BatchNorm/FusedBatchNorm";
  std::vector<std::string> names;
  for (int k = 0; k < 30; ++k) names.push_back(begin + std::to_string(k) + end);
  names.push_back(names.front());
  for (const std::size_t width : {12U, 16U, 24U, 48U}) {
    const std::vector<std::string> shown = shortened_apart(names, width);
    EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), 30U) << width;
    EXPECT_EQ(shown.front(), shown.back());
    for (const std::string& each : shown) EXPECT_LE(each.size(), width) << each;
  }
  EXPECT_THAT(shortened_apart({"conv1", "conv2"}, 16), ElementsAre("conv1", "conv2"));
  EXPECT_THAT(shortened_apart({"block_1/project/convolution", "block_2/project/convolution"}, 20),
              ElementsAre("...ck_1/projec...", "...ck_2/projec..."));
}

TEST(ShortenedApart, HalvesOfCharactersAreNotShown) {
  std::vector<std::string> names;
  for (const char* each : {"ä", "ö", "ü"})
    names.push_back("füüüüüüüüüüüüüüür/" + std::string(each) + "üüüüüüüüüüüüüüüüüüüüüüüü");
  for (const std::string& each : shortened_apart(names, 16)) {
    std::string_view rest = each;
    while (!rest.empty() && utf8_length(rest) > 0) rest.remove_prefix(utf8_length(rest));
    EXPECT_TRUE(rest.empty()) << each;
  }
}

TEST(WithoutCommonFolders, KeepsWhatDiffers) {
  EXPECT_THAT(without_common_folders({"a/b/c1", "a/b/c2/d", "a/b/c"}),
              ElementsAre("c1", "c2/d", "c"));
  EXPECT_THAT(without_common_folders({"conv1", "a/conv2"}), ElementsAre("conv1", "a/conv2"));
  EXPECT_THAT(without_common_folders({"a/conv2"}), ElementsAre("a/conv2"));
}

TEST(OpLabels, WhatIsLongLosesItsMiddle) {
  EXPECT_EQ(shortened("conv1", 5), "conv1");
  EXPECT_EQ(shortened("layer2.0/downsample/Conv", 16), "laye...mple/Conv");
  EXPECT_EQ(shortened("abcdef", 3), "def");
}

TEST(OpLabels, BothEndsOfARangeStay) {
  const std::string range = "block_1/depthwise/convolution .. block_1/project/add";
  for (std::size_t width = 16; width <= range.size(); ++width) {
    const std::string text = shortened(range, width);
    EXPECT_EQ(text.size(), width);
    EXPECT_NE(text.find(" .. "), std::string::npos) << text;
  }
  // The short end is kept whole.
  EXPECT_EQ(shortened("conv1 .. block_1/project/convolution", 24), "conv1 .. bloc...volution");
  EXPECT_EQ(shortened("block_1/project/convolution .. Add", 20), "blo...olution .. Add");
}

}  // namespace
}  // namespace tessera
