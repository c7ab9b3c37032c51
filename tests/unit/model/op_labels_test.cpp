#include "model/op_labels.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

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
  // The short end is whole.
  EXPECT_EQ(shortened("conv1 .. block_1/project/convolution", 24), "conv1 .. bloc...volution");
  EXPECT_EQ(shortened("block_1/project/convolution .. Add", 20), "blo...olution .. Add");
}

}  // namespace
}  // namespace tessera
