#include "encoder/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

namespace tessera::encoder {
namespace {

using testing::brute_force;
using testing::Features;
using testing::Random;
using testing::random_problem;
using testing::to_yaml;

PlacementProblem two_in_one_bank() {
  PlacementProblem problem;
  Memory memory{.name = "sram", .capacity = 16};
  memory.banks = {{.name = "b0", .size = 8}, {.name = "b1", .size = 8}};
  problem.memories.push_back(memory);
  problem.buffers = {{.id = "a", .live = {{0, 2}}, .size = 5},
                     {.id = "b", .live = {{1, 3}}, .size = 4},
                     {.id = "c", .live = {{1, 3}}, .size = 2}};
  problem.relations = {{.kind = RelationKind::same_bank, .buffers = {0, 1}}};
  return problem;
}

TEST(Explain, NamesTheRelationAndTheBuffersItTies) {
  const PlacementProblem problem = two_in_one_bank();
  const Explanation why = explain(problem, {});
  EXPECT_EQ(why.status, Status::infeasible);
  EXPECT_TRUE(why.minimal);
  EXPECT_THAT(why.buffers, ::testing::ElementsAre(0, 1));
  EXPECT_THAT(why.rules, ::testing::ElementsAre(HardwareRule{HardwareRule::Kind::relation, 0}));
  EXPECT_EQ(why.step, 1);
  EXPECT_EQ(why.asked, 9);
  EXPECT_EQ(why.available, 16);
  EXPECT_THAT(why.text, ::testing::HasSubstr("the relation same_bank {a, b}"));
}

TEST(Explain, SaysWhichStepAndWhichCapacityWouldDo) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 10});
  problem.buffers = {{.id = "a", .live = {{0, 2}}, .size = 6},
                     {.id = "b", .live = {{1, 3}}, .size = 5},
                     {.id = "c", .live = {{2, 4}}, .size = 3}};
  const Explanation why = explain(problem, {});
  EXPECT_THAT(why.buffers, ::testing::ElementsAre(0, 1));
  EXPECT_TRUE(why.rules.empty());
  EXPECT_EQ(why.step, 1);
  EXPECT_EQ(why.asked, 11);
  EXPECT_EQ(why.smallest_capacity, 11);
  EXPECT_EQ(why.text,
            "These 2 buffers cannot be placed together:\n"
            "  a: 6 bytes, live [0, 2)\n"
            "  b: 5 bytes, live [1, 3)\n"
            "At step 1 they need 11 bytes; memory 'sram' has 10 bytes.\n"
            "The set is minimal: without any one of its members, the rest fits.\n"
            "Smallest capacity for this set: 11 bytes.\n");
}

TEST(Explain, NamesFragmentationIfTheSumFitsWithoutRules) {
  PlacementProblem problem;
  problem.memories = {{.name = "m", .capacity = 16}, {.name = "n", .capacity = 8}};
  problem.buffers = {{.id = "a", .live = {{0, 2}}, .size = 10},
                     {.id = "b", .live = {{0, 2}}, .size = 10}};
  const Explanation why = explain(problem, {});
  EXPECT_TRUE(why.rules.empty());
  EXPECT_THAT(why.text, ::testing::HasSubstr("At step 0 they need 20 bytes; their memories have 24 "
                                             "bytes. The sum fits, but in every arrangement"));
}

TEST(Explain, CountsAlignmentsInTheSmallestCapacity) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 4});
  problem.buffers = {{.id = "a", .live = {{0, 1}}, .size = 2, .alignment = 2},
                     {.id = "b", .live = {{0, 1}}, .size = 3, .alignment = 4}};
  Explanation why = explain(problem, {});
  EXPECT_EQ(why.asked, 5);
  EXPECT_EQ(why.smallest_capacity, 6);  // b from 0 to 3, a from 4
  problem.memories[0].reserved = {{0, 1}};
  why = explain(problem, {});
  EXPECT_EQ(why.smallest_capacity, 7);  // a from 2, b from 4
  problem.memories[0].reserved.clear();
  problem.buffers[0].alignment = 3;
  EXPECT_EQ(explain(problem, {}).smallest_capacity, 5);  // b from 0 to 3, a from 3
}

TEST(Explain, NamesTwoRulesThatContradict) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 16});
  problem.buffers = {{.id = "a", .live = {{0, 2}}, .size = 4},
                     {.id = "other", .live = {{2, 3}}, .size = 16},
                     {.id = "b", .live = {{4, 6}}, .size = 4}};
  problem.relations = {{.kind = RelationKind::same_offset, .buffers = {0, 2}},
                       {.kind = RelationKind::disjoint, .buffers = {0, 2}}};
  const Explanation why = explain(problem, {});
  EXPECT_THAT(why.buffers, ::testing::ElementsAre(0, 2));
  EXPECT_EQ(why.rules.size(), 2U);
  EXPECT_FALSE(why.step);
  EXPECT_EQ(why.text,
            "These 2 buffers and hardware rules cannot be placed together:\n"
            "  a: 4 bytes, live [0, 2)\n"
            "  b: 4 bytes, live [4, 6)\n"
            "  the relation same_offset {a, b}\n"
            "  the relation disjoint {a, b}\n"
            "a and b must have the same offset (same_offset) but may not share a byte (disjoint).\n"
            "The set is minimal: without any one of its members, the rest fits.\n");
}

TEST(Explain, NamesTheCliqueThatIsTooMuch) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 11});
  for (const char* id : {"a", "b", "c", "d", "e"}) {
    const auto step = static_cast<Step>(problem.buffers.size());
    problem.buffers.push_back({.id = id, .live = {{step, step + 1}}, .size = 4});
  }
  problem.buffers[1].live = {{0, 2}};
  problem.relations = {{RelationKind::disjoint, {0, 2}, 0},
                       {RelationKind::disjoint, {1, 2}, 0},
                       {RelationKind::disjoint, {3, 4}, 0}};
  const Explanation why = explain(problem, {});
  EXPECT_TRUE(why.minimal);
  EXPECT_THAT(why.buffers, ::testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(why.rules.size(), 2U);
  EXPECT_EQ(why.smallest_capacity, 12);
  EXPECT_THAT(why.text,
              ::testing::HasSubstr(
                  "No two of them may share a byte (2 live together at step 0, rules of the "
                  "input keep the other one apart): they need 12 bytes, but sram has 11.\n"));
}

TEST(Explain, DoesNotPromiseThatTheRestKeepsOtherRules) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 10});
  problem.buffers = {{.id = "a", .live = {{0, 2}}, .size = 6},
                     {.id = "b", .live = {{1, 3}}, .size = 5},
                     {.id = "c", .live = {{2, 4}}, .size = 3}};
  problem.relations.push_back({.kind = RelationKind::disjoint, .buffers = {0, 2}});
  const Explanation why = explain(problem, {});
  EXPECT_TRUE(why.rules.empty());
  EXPECT_THAT(why.text, ::testing::HasSubstr(
                            "The set is minimal: without any one of its members, the rest fits if "
                            "only the listed rules count.\n"));
}

TEST(Explain, HasNothingToSayAboutWhatFits) {
  PlacementProblem problem = two_in_one_bank();
  problem.relations.clear();
  EXPECT_EQ(explain(problem, {}).status, Status::feasible);
}

TEST(Explain, ALimitIsNoExplanation) {
  const Explanation why =
      explain(two_in_one_bank(), {.budget = {.deadline = std::chrono::steady_clock::now()}});
  EXPECT_EQ(why.status, Status::unknown);
  EXPECT_EQ(why.stop, StopReason::time_limit);
}

/// Checks by brute force: infeasible as stated, and feasible without any single member.
void expect_minimal(const PlacementProblem& problem, const Explanation& why) {
  ASSERT_EQ(why.status, Status::infeasible);
  ASSERT_TRUE(why.minimal);
  const PlacementProblem core = part_of(problem, why.buffers, why.rules);
  ASSERT_TRUE(validate(core).empty());
  EXPECT_FALSE(brute_force(core));
  for (std::size_t i = 0; i < why.buffers.size(); ++i) {
    std::vector<BufferIndex> rest = why.buffers;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(brute_force(part_of(problem, rest, why.rules)))
        << "without buffer " << problem.buffers[why.buffers[i]].id;
  }
  for (std::size_t i = 0; i < why.rules.size(); ++i) {
    std::vector<HardwareRule> rest = why.rules;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(brute_force(part_of(problem, why.buffers, rest)))
        << "without " << describe(problem, why.rules[i]);
  }
  if (why.smallest_capacity) {
    PlacementProblem larger = part_of(problem, why.buffers, hardware_rules(problem));
    larger.memories[*why.memory].capacity = *why.smallest_capacity;
    EXPECT_TRUE(brute_force(larger));
    larger.memories[*why.memory].capacity = *why.smallest_capacity - 1;
    EXPECT_FALSE(brute_force(larger));
  }
}

TEST(Explain, IsMinimalOnRandomProblems) {
  int infeasible = 0;
  for (std::uint64_t seed = 1; infeasible < 100; ++seed) {
    Random random(seed);
    const PlacementProblem problem = random_problem(random, Features::all());
    if (brute_force(problem)) continue;
    ++infeasible;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_yaml(problem));
    expect_minimal(problem, explain(problem, {}));
    if (HasFatalFailure() || HasNonfatalFailure()) break;
  }
}

}  // namespace
}  // namespace tessera::encoder
