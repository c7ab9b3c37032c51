#include "proof/rup.h"

#include <gtest/gtest.h>

namespace tessera::proof {
namespace {

void add(RupChecker& checker, std::vector<int> clause) {
  checker.add(clause);
}
bool implies(RupChecker& checker, std::vector<int> clause) {
  return checker.implies(clause);
}
bool remove(RupChecker& checker, std::vector<int> clause) {
  return checker.remove(clause);
}

TEST(Rup, FollowsChainsOfUnits) {
  RupChecker checker;
  add(checker, {1, 2});
  add(checker, {1, -2});
  add(checker, {-1, 3});
  EXPECT_TRUE(implies(checker, {3}));
  EXPECT_FALSE(implies(checker, {2}));
  EXPECT_FALSE(implies(checker, {-3}));
  EXPECT_FALSE(checker.refuted());
}

TEST(Rup, RefutesWhenUnitsContradict) {
  RupChecker checker;
  add(checker, {1, 2, 3});
  add(checker, {-1});
  add(checker, {-2});
  EXPECT_FALSE(checker.refuted());
  add(checker, {-3});
  EXPECT_TRUE(checker.refuted());
}

TEST(Rup, ForgetsWhatIsRemoved) {
  RupChecker checker;
  add(checker, {1, 2});
  add(checker, {1, -2, 4});
  add(checker, {-4, 1});
  EXPECT_TRUE(implies(checker, {1}));
  EXPECT_TRUE(remove(checker, {-2, 1, 4}));
  EXPECT_FALSE(implies(checker, {1}));
  EXPECT_FALSE(remove(checker, {1, -2, 4}));
  EXPECT_FALSE(remove(checker, {7, 8}));
}

TEST(Rup, ANegationThatContradictsItselfFollows) {
  RupChecker checker;
  add(checker, {1, 2});
  EXPECT_TRUE(implies(checker, {5, -5}));
}

TEST(Rup, KnowsTautologiesAndRepetitionsOnlyToRemoveThem) {
  RupChecker checker;
  add(checker, {1, -1, 2});
  add(checker, {3, 3});
  EXPECT_TRUE(implies(checker, {3}));
  EXPECT_FALSE(implies(checker, {2}));
  EXPECT_TRUE(remove(checker, {-1, 1, 2}));
}

TEST(Rup, AgreesWithTruthTables) {
  // Every clause it says follows does, for all small sets of clauses of a seeded sequence.
  std::uint64_t state = 1;
  const auto next = [&state](int bound) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state >> 33U) % static_cast<std::uint64_t>(bound));
  };
  constexpr int variables = 5;
  int implied = 0;
  for (int round = 0; round < 2000; ++round) {
    RupChecker checker;
    std::vector<std::vector<int>> clauses;
    const auto random_clause = [&] {
      std::vector<int> clause;
      for (int k = 0; k <= next(3); ++k) {
        clause.push_back((next(2) == 0 ? 1 : -1) * (1 + next(variables)));
      }
      return clause;
    };
    for (int k = 0; k < 8; ++k) {
      clauses.push_back(random_clause());
      checker.add(clauses.back());
    }
    if (next(2) == 0) {
      EXPECT_TRUE(checker.remove(clauses.back()));
      clauses.pop_back();
    }
    const std::vector<int> lemma = random_clause();
    const auto holds = [](const std::vector<int>& clause, int model) {
      for (const int literal : clause) {
        if (((model >> (std::abs(literal) - 1)) & 1) == (literal > 0 ? 1 : 0)) return true;
      }
      return false;
    };
    if (!checker.implies(lemma)) continue;
    ++implied;
    if (checker.refuted()) continue;  // units of a removed clause stay, as the header says
    for (int model = 0; model < (1 << variables); ++model) {
      bool all = true;
      for (const auto& clause : clauses) all = all && holds(clause, model);
      // A removed clause may still speak through the units it made.
      if (all && clauses.size() == 8) {
        EXPECT_TRUE(holds(lemma, model));
      }
    }
  }
  EXPECT_GT(implied, 100);
}

}  // namespace
}  // namespace tessera::proof
