// Chains of orders: least offsets, lemmas for chains above their bound, and the sizes for which a
// lemma holds.
#include "encoder/chains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "encoder/sat_engine.h"
#include "tessera/check.h"

namespace tessera::encoder {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

/// Three buffers in a memory, and the orders a below b, b below c, a below c.
struct Stack {
  explicit Stack(Size stride = 1) {
    for (const BufferIndex b : {0U, 1U, 2U}) {
      x.push_back(formula.integer(
          {.label = std::string(1, "abc"[b]), .upper = {last_offset(0, b)}, .stride = stride}));
    }
    ab = formula.before(x[0], size_of(0), x[1]);
    bc = formula.before(x[1], size_of(1), x[2]);
    ac = formula.before(x[0], size_of(0), x[2]);
  }
  [[nodiscard]] std::vector<signed char> truths(std::initializer_list<Lit> literals) const {
    std::vector<signed char> result(formula.atoms().size(), 0);
    for (const Lit literal : literals) {
      result[static_cast<std::size_t>(std::abs(literal)) - 1] = literal > 0 ? 1 : -1;
    }
    return result;
  }
  Formula formula;
  std::vector<IntIndex> x;
  Lit ab = 0;
  Lit bc = 0;
  Lit ac = 0;
};

TEST(Chains, PushEverythingDown) {
  const Stack stack(4);
  ChainRules rules(stack.formula);
  ASSERT_TRUE(rules.renumber({.sizes = {3, 5, 4}, .capacities = {20}}));
  ASSERT_TRUE(rules.push_down(stack.truths({stack.ab, stack.bc, stack.ac})));
  EXPECT_EQ(rules.value(stack.x[0]), 0);
  EXPECT_EQ(rules.value(stack.x[1]), 4);
  EXPECT_EQ(rules.value(stack.x[2]), 12);
}

TEST(Chains, NameTheOrdersThatEndTooHigh) {
  const Stack stack;
  ChainRules rules(stack.formula);
  ASSERT_TRUE(rules.renumber({.sizes = {3, 5, 4}, .capacities = {11}}));
  ASSERT_FALSE(rules.push_down(stack.truths({stack.ab, stack.bc})));
  const std::vector<Chain> broken = rules.broken(10);
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_THAT(broken[0].clause(), ElementsAre(-stack.ab, -stack.bc));
  EXPECT_EQ(rules.excess(broken[0]), 1);
  // The lemma holds for its original sizes and for all sizes with an equally high end.
  ASSERT_TRUE(rules.renumber({.sizes = {4, 4, 5}, .capacities = {11}}));
  EXPECT_EQ(rules.excess(broken[0]), 2);
  ASSERT_TRUE(rules.renumber({.sizes = {3, 4, 4}, .capacities = {11}}));
  EXPECT_EQ(rules.excess(broken[0]), 0);
}

TEST(Chains, LeaveOutWhoIsNotNeeded) {
  const Stack stack;
  ChainRules rules(stack.formula);
  ASSERT_TRUE(rules.renumber({.sizes = {6, 1, 6}, .capacities = {11}}));
  ASSERT_FALSE(rules.push_down(stack.truths({stack.ab, stack.bc, stack.ac})));
  EXPECT_THAT(rules.broken(10)[0].clause(), ElementsAre(-stack.ac));
}

TEST(Chains, GoRoundInCircles) {
  Stack stack;
  const Lit ca = stack.formula.before(stack.x[2], size_of(2), stack.x[0]);
  ChainRules rules(stack.formula);
  ASSERT_TRUE(rules.renumber({.sizes = {1, 1, 1}, .capacities = {1'000'000'000}}));
  ASSERT_FALSE(rules.push_down(stack.truths({stack.ab, stack.bc, ca})));
  const std::vector<Chain> broken = rules.broken(10);
  ASSERT_FALSE(broken.empty());
  EXPECT_THAT(broken[0].clause(), UnorderedElementsAre(-stack.ab, -stack.bc, -ca));
}

TEST(Chains, StartAtBordersAndEndAtThem) {
  Stack stack;
  const Lit from = stack.formula.at_least(stack.x[0], fixed(6));
  const Lit below = -stack.formula.at_least(stack.x[1], fixed(9));
  ChainRules rules(stack.formula);
  ASSERT_TRUE(rules.renumber({.sizes = {3, 1, 1}, .capacities = {100}}));
  ASSERT_FALSE(rules.push_down(stack.truths({from, stack.ab, below})));
  EXPECT_THAT(rules.broken(10)[0].clause(), UnorderedElementsAre(-from, -stack.ab, -below));
  ASSERT_TRUE(rules.renumber({.sizes = {2, 1, 1}, .capacities = {100}}));
  EXPECT_TRUE(rules.push_down(stack.truths({from, stack.ab, below})));
}

TEST(Chains, ArePreferredWhereAddressesAreFine) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 1'000'003});
  for (int b = 0; b < 6; ++b) {
    problem.buffers.push_back({.id = std::to_string(b), .live = {{b, b + 3}}, .size = 300'000 + b});
  }
  const engine::SearchResult result = make_sat_engine({})->solve(problem, {});
  ASSERT_EQ(result.status, Status::feasible);
  EXPECT_TRUE(check(problem, *result.placement).empty());
  const auto encoding = std::find_if(result.stats.begin(), result.stats.end(),
                                     [](const Stat& s) { return s.name == "sat_encoding"; });
  ASSERT_NE(encoding, result.stats.end());
  EXPECT_EQ(std::get<std::string>(encoding->value), "chains");
}

TEST(Chains, AreKeptWhileTheyAreLongEnough) {
  // Neighbours in time need different halves; the ends of five in sequence overlap a sixth.
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 1'000'003});
  const auto add = [&](Step lower, Step upper, Size size) {
    problem.buffers.push_back(
        {.id = std::to_string(problem.buffers.size()), .live = {{lower, upper}}, .size = size});
  };
  for (Step t = 0; t < 6; ++t) add(t, t + 2, 400'000 + t);
  add(2, 4, 150'000);
  add(5, 7, 350'001);
  const auto session = make_sat_engine({.encoding = OffsetEncoding::chains})->open(problem);
  SizeLayer layer{.sizes = {}, .capacities = {1'000'003}};
  for (const Buffer& buffer : problem.buffers) layer.sizes.push_back(buffer.size);
  for (int question = 0; question < 4; ++question) {
    for (Size& size : layer.sizes) size += 20'000;
    const engine::SearchResult kept = session->solve(layer, {});
    for (BufferIndex b = 0; b < layer.sizes.size(); ++b) problem.buffers[b].size = layer.sizes[b];
    EXPECT_EQ(kept.status, make_sat_engine({})->solve(problem, {}).status);
  }
}

}  // namespace
}  // namespace tessera::encoder
