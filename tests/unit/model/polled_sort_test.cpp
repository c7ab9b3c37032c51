#include "model/polled_sort.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace tessera {
namespace {

TEST(SortPolled, SortsAsStdSortDoes) {
  std::mt19937 random(3);
  for (const std::size_t count : {0U, 1U, 100U, 16384U, 16385U, 100000U, 131072U}) {
    std::vector<std::pair<unsigned, std::size_t>> values;
    for (std::size_t k = 0; k < count; ++k) values.emplace_back(random() % 1000, k);
    auto expected = values;
    std::sort(expected.begin(), expected.end());
    Poll never;
    sort_polled(values, never);
    EXPECT_EQ(values, expected) << count;
  }
}

TEST(SortPolled, EndsWithTheBudget) {
  Budget over;
  over.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  std::vector<int> values(100'000, 1);
  Poll poll(over);
  EXPECT_THROW(sort_polled(values, poll), BudgetEnded);
}

}  // namespace
}  // namespace tessera
