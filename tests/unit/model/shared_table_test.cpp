#include "model/shared_table.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "model/key_hash.h"
#include "model/parallel.h"

namespace tessera {
namespace {

TEST(SharedTable, FindsWhatWasKeptLast) {
  SharedTable<std::string, int> table;
  EXPECT_FALSE(table.find("a"));
  for (int k = 0; k < 1000; ++k) table.keep(std::to_string(k), k);
  table.keep("7", -7);
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(table.find(std::to_string(k)), k == 7 ? -7 : k);
  table.clear();
  EXPECT_FALSE(table.find("7"));
}

TEST(SharedTable, TakesNoMoreThanItMay) {
  SharedTable<std::array<std::int64_t, 2>, int, KeyHash> table(128);
  int found = 0;
  for (std::int64_t k = 0; k < 10'000; ++k) table.keep({k, 1}, 1);
  for (std::int64_t k = 0; k < 10'000; ++k) found += table.find({k, 1}) ? 1 : 0;
  EXPECT_EQ(found, 128);  // each of the parts is full
}

TEST(SharedTable, SeveralThreadsKeepAndFind) {
  SharedTable<std::string, std::shared_ptr<const int>> table;
  each_together(4, 4000, [&](std::size_t k) {
    const std::string key = std::to_string(k % 500);
    if (const auto known = table.find(key)) {
      EXPECT_EQ(**known, static_cast<int>(k % 500));
    } else {
      table.keep(key, std::make_shared<const int>(static_cast<int>(k % 500)));
    }
  });
  for (int k = 0; k < 500; ++k) ASSERT_TRUE(table.find(std::to_string(k)));
}

}  // namespace
}  // namespace tessera
