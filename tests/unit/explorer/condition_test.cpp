#include "explorer/condition.h"

#include <gtest/gtest.h>

#include <map>

namespace tessera::explorer {
namespace {

bool holds(const std::string& text) {
  const std::map<std::string, std::string> values{{"memories.s-ram.banks", "4"},
                                                  {"memories.s-ram.bank_size", "16 KiB"},
                                                  {"clock", "1 GHz"},
                                                  {"dram", "4 B/cycle"},
                                                  {"name", "abc"}};
  return Condition(text).holds([&](const std::string& key) { return values.at(key); });
}

std::string said(const std::string& text) {
  try {
    static_cast<void>(holds(text));
  } catch (const ConditionError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Condition, ComparesWithUnits) {
  EXPECT_TRUE(holds("memories.s-ram.banks * memories.s-ram.bank_size <= 64 KiB"));
  EXPECT_FALSE(holds("memories.s-ram.banks*memories.s-ram.bank_size < 64KiB"));
  EXPECT_TRUE(holds("clock >= 1000 MHz"));
  EXPECT_TRUE(holds("dram == 4 B/cycle"));
  EXPECT_TRUE(holds("dram > 0"));
  EXPECT_TRUE(holds("memories.s-ram.bank_size == 16384"));
  EXPECT_TRUE(holds("memories.s-ram.bank_size / 1 KiB == 16"));
  EXPECT_TRUE(holds("dram * clock > 3"));
  EXPECT_TRUE(holds("`memories.s-ram.banks` % 2 == 0"));
}

TEST(Condition, BindsAsUsual) {
  EXPECT_TRUE(holds("1 + 2 * 3 == 7"));
  EXPECT_TRUE(holds("(1 + 2) * 3 == 9"));
  EXPECT_TRUE(holds("8 - 2 - 1 == 5"));
  EXPECT_TRUE(holds("1 == 2 or 1 == 1 and 2 == 2"));
  EXPECT_TRUE(holds("not 1 == 2 and 3 > 2"));
  EXPECT_TRUE(holds("2 != 3"));
}

TEST(Condition, RefusesToCompareUnits) {
  EXPECT_EQ(said("memories.s-ram.bank_size < clock"),
            "a condition has bytes on the left of < and Hz on its right");
  EXPECT_NE(said("dram < 3").find("bytes per cycle"), std::string::npos);
  EXPECT_NE(said("dram >= 2 GB/s").find("bytes per second"), std::string::npos);
  EXPECT_NE(said("clock + 1 KiB > 0").find("Hz on the left of +"), std::string::npos);
}

TEST(Condition, SaysWhatIsWrong) {
  EXPECT_NE(said("clock = 1").find("`==`"), std::string::npos);
  EXPECT_NE(said("(1 < 2").find("unclosed parenthesis"), std::string::npos);
  EXPECT_NE(said("1 <").find("ends too early"), std::string::npos);
  EXPECT_NE(said("1 < 2 3").find("`3`"), std::string::npos);
  EXPECT_NE(said("name < 3").find("not a number"), std::string::npos);
  EXPECT_NE(said("1 / 0 == 1").find("divides by 0"), std::string::npos);
  EXPECT_NE(said(std::string(5000, '(')).find("too deeply"), std::string::npos);
  EXPECT_NE(said("").find("ends too early"), std::string::npos);
}

}  // namespace
}  // namespace tessera::explorer
