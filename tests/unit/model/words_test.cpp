#include "model/words.h"

#include <gtest/gtest.h>

#include <array>

namespace tessera {
namespace {

constexpr std::array<std::string_view, 5> known{"capacity", "nvdla-like", "eyeriss-like",
                                                "eyeriss-like-2", "c"};

TEST(Words, EditsAreCounted) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", "abc"), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("capasity", "capacity"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Words, TheClosestIsMeant) {
  EXPECT_EQ(closest_word("capasity", known), "capacity");
  EXPECT_EQ(closest_word("nvdla-lik", known), "nvdla-like");
  EXPECT_EQ(closest_word("quux", known), "");
  EXPECT_EQ(closest_word(std::string(41, 'c'), known), "");
}

TEST(Words, ElseTheShortestItBegins) {
  EXPECT_EQ(closest_word("nvdla", known), "nvdla-like");
  EXPECT_EQ(closest_word("eye", known), "eyeriss-like");
  EXPECT_EQ(closest_word("ey", known), "");
}

}  // namespace
}  // namespace tessera
