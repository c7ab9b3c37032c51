#include "engine/hitting_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/support/effort.h"
#include "tests/support/random.h"

namespace tessera::testing {
namespace {

using engine::HittingRule;
using engine::HittingSet;

struct Question {
  std::vector<Cost> costs;
  std::vector<HittingRule> rules;
};

bool kept(const HittingRule& rule, unsigned in) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < rule.items.size(); ++k)
    if ((in >> rule.items[k] & 1U) != 0) sum += rule.weights[k];
  return sum >= rule.least;
}

Cost cost_of(const Question& question, unsigned in) {
  Cost sum = 0;
  for (std::size_t i = 0; i < question.costs.size(); ++i)
    sum += (in >> i & 1U) != 0 ? question.costs[i] : 0;
  return sum;
}

/// The oracle: every set.
std::optional<Cost> least_of_all(const Question& question, unsigned out = 0, unsigned with = 0) {
  std::optional<Cost> least;
  for (unsigned in = 0; in < 1U << question.costs.size(); ++in) {
    if ((in & out) != 0 || (in & with) != with) continue;
    if (!std::all_of(question.rules.begin(), question.rules.end(),
                     [in](const HittingRule& rule) { return kept(rule, in); }))
      continue;
    const Cost cost = cost_of(question, in);
    if (!least || cost < *least) least = cost;
  }
  return least;
}

Question random_question(Random& random) {
  Question question;
  const bool dear = random.chance(20);
  for (std::int64_t n = random.between(1, 10); n > 0; --n)
    question.costs.push_back(random.between(1, dear ? 1'000'000 : 6));
  for (std::int64_t r = random.between(0, 8); r > 0; --r) {
    HittingRule rule;
    const bool large = random.chance(15);
    std::int64_t all = 0;
    for (std::uint32_t i = 0; i < question.costs.size(); ++i) {
      if (!random.chance(50)) continue;
      rule.items.push_back(i);
      rule.weights.push_back(random.chance(50) ? 1 : random.between(1, large ? 1 << 20 : 4));
      all += rule.weights.back();
    }
    rule.least = random.chance(90) ? random.between(0, all) : all + random.between(0, 1);
    question.rules.push_back(std::move(rule));
  }
  return question;
}

TEST(HittingSet, CoresThatShareNothingAddUp) {
  HittingSet sets({3, 1, 2, 2});
  sets.add({.items = {0, 1}, .weights = {1, 1}, .least = 1});
  sets.add({.items = {2, 3}, .weights = {1, 1}, .least = 2});
  EXPECT_EQ(sets.raise_bound(100, 50, {}), 5);
  const HittingSet::Exact found = sets.cheapest({});
  EXPECT_EQ(found.in, (std::vector<char>{0, 1, 1, 1}));
  EXPECT_EQ(found.cost, 5);
  EXPECT_EQ(found.bound, 5);
}

TEST(HittingSet, ATriangleNeedsTwo) {
  HittingSet sets({1, 1, 1});
  sets.add({.items = {0, 1}, .weights = {1, 1}, .least = 1});
  sets.add({.items = {1, 2}, .weights = {1, 1}, .least = 1});
  sets.add({.items = {0, 2}, .weights = {1, 1}, .least = 1});
  EXPECT_EQ(sets.raise_bound(3, 200, {}), 2);  // 3/2, rounded up
  EXPECT_EQ(sets.cheapest({}).cost, 2);
}

TEST(HittingSet, ALimitIsNoAnswer) {
  HittingSet sets({1, 1, 1, 1, 1});
  for (std::uint32_t i = 0; i < 5; ++i)
    sets.add({.items = {i, (i + 1) % 5}, .weights = {1, 1}, .least = 1});
  Budget brief;
  brief.max_nodes = 1;
  const HittingSet::Exact found = sets.cheapest(brief);
  EXPECT_TRUE(found.possible);
  EXPECT_LE(found.bound, 3);
}

TEST(HittingSet, IsWhatAllSetsSay) {
  const std::uint64_t first = setting("TESSERA_RANDOM_SEED", 1);
  const std::uint64_t count = setting("TESSERA_RANDOM_COUNT", effort(5000));
  std::uint64_t tight = 0;
  std::uint64_t asked = 0;
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    Random random(seed);
    const Question question = random_question(random);
    const auto least = least_of_all(question);
    HittingSet sets(question.costs);
    std::size_t added = 0;
    Cost bound = 0;
    for (const HittingRule& rule : question.rules) {
      sets.add(rule);
      if (++added % 3 != 0) continue;
      bound = sets.raise_bound(random.between(1, 30), 40, {});
      if (random.chance(30)) sets.forget_unused();
    }
    const std::string about = "seed " + std::to_string(seed);
    if (sets.rules() < question.rules.size()) {  // some were forgotten, or asked for nothing
      sets = HittingSet(question.costs);
      for (const HittingRule& rule : question.rules) sets.add(rule);
    }
    if (least) {
      EXPECT_LE(bound, *least) << about;
      bound = sets.raise_bound(*least, 200, {});
      EXPECT_LE(bound, *least) << about;
      ++asked;
      tight += bound + std::max<Cost>(1, *least / 4) >= *least ? 1U : 0U;
      const Cost most = *least + random.between(-1, 2);
      const std::vector<signed char> sides = sets.decided(most);
      for (std::uint32_t i = 0; i < question.costs.size(); ++i) {
        if (sides[i] == 0) continue;
        const unsigned one = 1U << i;
        const auto other =
            sides[i] > 0 ? least_of_all(question, 0, one) : least_of_all(question, one);
        EXPECT_TRUE(!other || *other > most) << about;
      }
    }
    const HittingSet::Exact found = sets.cheapest({});
    const bool coarse =
        std::any_of(question.rules.begin(), question.rules.end(), [](const HittingRule& rule) {
          return std::any_of(rule.weights.begin(), rule.weights.end(),
                             [](std::int64_t weight) { return weight > 1000; });
        });
    // Coarse weights may ask for a little less.
    EXPECT_TRUE(found.possible || !least) << about;
    EXPECT_TRUE(coarse || found.possible == least.has_value()) << about;
    if (!least) continue;
    EXPECT_LE(found.cost, *least) << about;
    EXPECT_EQ(found.bound, found.cost) << about;
    EXPECT_EQ(sets.cost_of(found.in), found.cost) << about;
    EXPECT_TRUE(coarse || found.cost == *least) << about;
  }
  if (count >= 5000) {
    EXPECT_GT(tight, asked * 3 / 4);
  }
}

}  // namespace
}  // namespace tessera::testing
