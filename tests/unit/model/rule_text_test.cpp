#include "model/rule_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/rules.h"
#include "tessera/check.h"
#include "tessera/validate.h"

namespace tessera {
namespace {

PlacementProblem two_memories() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "act",
                              .capacity = 16,
                              .banks = {{.name = "a0", .size = 8}, {.name = "a1", .size = 8}},
                              .modes = {{.name = "m0", .roles = {Role::read_write, Role::off}},
                                        {.name = "m-1", .roles = {Role::off, Role::read_write}}}});
  problem.memories.push_back({.name = "big", .capacity = 64});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 4});
  problem.buffers.push_back({.id = "b c", .live = {{0, 3}}, .size = 6});
  return problem;
}

/// The first rule, as it is written.
std::string again(const std::string& that, std::vector<BufferIndex> each = {}) {
  PlacementProblem problem = two_memories();
  add_rule(problem, {.name = "r", .buffers = std::move(each), .that = that});
  EXPECT_TRUE(validate(problem).empty()) << validate(problem).front().message;
  const std::string text = to_string(problem, problem.rules.front().that);
  PlacementProblem second = two_memories();
  add_rule(second, {.name = "r", .that = text});
  EXPECT_EQ(second.rules.front().that, problem.rules.front().that) << text;
  return text;
}

TEST(RuleText, IsWrittenAsItIsRead) {
  EXPECT_EQ(again("offset % 8 == 4", {0}), "offset(a) % 8 == 4");
  EXPECT_EQ(again("offset('b c') - 2 * size(a) >= -3"), "offset('b c') - 2 * size(a) >= -3");
  EXPECT_EQ(again("-(offset(a) + 1) - (bank(a) - 2) * 3 < 0"),
            "-(offset(a) + 1) - (bank(a) - 2) * 3 < 0");
  EXPECT_EQ(again("bank(a) in [0, 1] or memory(a) != act"),
            "bank(a) in [0, 1] or memory(a) != act");
  EXPECT_EQ(again("mode(act) == m0 implies next_mode(act) == 'm-1'"),
            "mode(act) == m0 implies next_mode(act) == 'm-1'");
  EXPECT_EQ(again("not (mode(act) == m0 and not (bank(a) == 1 or offset(a) > 3 implies 1 == 0))"),
            "not (mode(act) == m0 and not (bank(a) == 1 or offset(a) > 3 implies 1 == 0))");
  EXPECT_EQ(again("memory(a) in [act, big] and not memory(a) == memory(b c)"),
            "(memory(a) == act or memory(a) == big) and not (memory(a) == act and memory('b c') == "
            "act or memory(a) == big and memory('b c') == big)");
}

TEST(RuleText, WordsBindInTheOrderOfTheReference) {
  EXPECT_EQ(
      again("not offset == 1 and offset == 2 or offset == 3 implies offset == 4", {0}),
      again("(((not (offset == 1)) and (offset == 2)) or (offset == 3)) implies (offset == 4)",
            {0}));
  EXPECT_EQ(again("offset + 2 * 3 - 1 % 2 == 0", {0}),
            again("((offset + (2 * 3)) - (1 % 2)) == 0", {0}));
}

/// The error of a text, with its hint.
std::string wrong(const std::string& that, std::vector<BufferIndex> each = {}) {
  PlacementProblem problem = two_memories();
  try {
    add_rule(problem, {.name = "r", .buffers = std::move(each), .that = that});
  } catch (const BadInput& error) {
    EXPECT_TRUE(problem.rules.empty());
    return std::string(error.what()) + (error.hint.empty() ? "" : " | " + error.hint);
  }
  return "no error";
}

TEST(RuleText, ErrorsNameTheColumnAndWhatExists) {
  EXPECT_EQ(wrong("offset(x) == 1"), "rule `r`, column 8: unknown buffer `x` | buffers: a, b c");
  EXPECT_EQ(wrong("offset == 1"),
            "rule `r`, column 1: `offset` does not say of which buffer | write offset(NAME), or "
            "select buffers under `forall`");
  EXPECT_EQ(wrong("memory(a) == sram"),
            "rule `r`, column 14: unknown memory `sram` | memories: act, big");
  EXPECT_EQ(wrong("mode(act) == m7"),
            "rule `r`, column 14: memory `act` has no mode `m7` | its modes: m0, m-1");
  EXPECT_EQ(wrong("mode(big) == m0"), "rule `r`, column 6: memory `big` has no modes");
  EXPECT_EQ(wrong("mode == m0"),
            "rule `r`, column 1: `mode` does not say of which memory | write mode(MEMORY)");
  EXPECT_EQ(wrong("ofset == 1", {0}),
            "rule `r`, column 1: unknown word `ofset` | did you mean "
            "`offset`?");
  EXPECT_EQ(wrong("offset * offset == 1", {0}),
            "rule `r`, column 10: a product of two variables is not linear | one factor has to be "
            "an integer or a size");
  EXPECT_EQ(wrong("offset % 0 == 1", {0}),
            "rule `r`, column 10: the number after `%` is not an integer of at least 1");
  EXPECT_EQ(wrong("offset", {0}),
            "rule `r`, column 1: a comparison is missing here | for example `offset % 8 == 4`");
  EXPECT_EQ(wrong("offset == 1 offset == 2", {0}),
            "rule `r`, column 13: `offset` does not continue the condition | join conditions by "
            "`and`, `or` or `implies`");
  EXPECT_EQ(wrong("0 < offset < 8", {0}),
            "rule `r`, column 12: two comparisons in a row | join them by `and`");
  EXPECT_EQ(wrong("memory < act", {0}),
            "rule `r`, column 1: names are compared by == and != only, not by `<`");
  EXPECT_THAT(wrong("offset in [a]", {0}), ::testing::HasSubstr("column 12: unknown word `a`"));
  EXPECT_EQ(wrong("(offset == 1", {0}),
            "rule `r`, column 13: `)` is missing after the condition, before the end");
  EXPECT_EQ(wrong("offset ==", {0}), "rule `r`, column 10: the condition ends too early");
  EXPECT_EQ(wrong("offset == 'x", {0}), "rule `r`, column 11: the quote is not closed");
  EXPECT_EQ(wrong("offset == 1 $", {0}).substr(0, 33), "rule `r`, column 13: `$` does not");
  EXPECT_EQ(wrong("offset == 12345678901234567890", {0}),
            "rule `r`, column 11: the number `12345678901234567890` is too large");
  EXPECT_THAT(wrong(std::string(200, '(')), ::testing::HasSubstr("is nested too deeply"));
  std::string sum = "offset";
  for (int k = 0; k < 70; ++k) sum += " + 1";
  EXPECT_THAT(wrong(sum + " == 0", {0}), ::testing::HasSubstr("too many operators in a row"));
}

TEST(RuleText, ARuleIsMadeForEachBuffer) {
  PlacementProblem problem = two_memories();
  add_rule(problem, {.name = "r", .buffers = {0, 1}, .that = "offset % 4 == 0"});
  ASSERT_EQ(problem.rules.size(), 2U);
  const Placement placement{.places = {{1, 0}, {1, 6}}, .modes = {{"m0", "m0", "m0"}, {}}};
  const std::vector<Violation> violations = check(problem, placement);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations.front().rule, Rule::condition);
  EXPECT_EQ(violations.front().condition, 1U);
  EXPECT_EQ(violations.front().message,
            "Rule 'r' does not hold: offset('b c') % 4 == 0; 'b c' at [6, 12) of memory 'big'.");
}

TEST(RuleText, AComparisonOfBanksHoldsForEveryTouchedBank) {
  PlacementProblem problem = two_memories();
  problem.memories[0].modes.clear();
  add_rule(problem, {.name = "low", .that = "bank(a) == 0"});
  EXPECT_TRUE(check(problem, {.places = {{0, 4}, {1, 0}}, .modes = {{}, {}}}).empty());
  EXPECT_FALSE(check(problem, {.places = {{0, 6}, {1, 0}}, .modes = {{}, {}}}).empty());
  problem.rules.clear();
  add_rule(problem, {.name = "not all low", .that = "not bank(a) == 0"});
  EXPECT_FALSE(check(problem, {.places = {{0, 4}, {1, 0}}, .modes = {{}, {}}}).empty());
  EXPECT_TRUE(check(problem, {.places = {{0, 6}, {1, 0}}, .modes = {{}, {}}}).empty());
}

TEST(Rules, AreValidated) {
  const auto defect = [](ConditionRule rule) {
    PlacementProblem problem = two_memories();
    problem.rules.push_back(std::move(rule));
    const std::vector<Defect> defects = validate(problem);
    return defects.empty() ? "valid" : defects.front().field + ": " + defects.front().message;
  };
  const RuleNode zero{.op = RuleOp::number};
  const RuleNode offset{.op = RuleOp::offset, .buffer = 7};
  EXPECT_EQ(defect({.name = "", .that = {}}), "name: rule '' has no name.");
  EXPECT_EQ(defect({.name = "r", .that = zero}),
            "that: rule 'r' has a term where a condition is needed.");
  EXPECT_EQ(defect({.name = "r", .that = {.op = RuleOp::equal, .of = {zero, offset}}}),
            "that: rule 'r' names buffer number 7, but there are only 2.");
  EXPECT_EQ(defect({.name = "r", .that = {.op = RuleOp::no}}),
            "that: rule 'r' has a node with 0 children, which its kind does not allow.");
  EXPECT_EQ(defect({.name = "r", .that = {.op = RuleOp::in_mode, .memory = 1, .mode = "m0"}}),
            "that: rule 'r' is about modes of memory 'big', which has none.");
  EXPECT_EQ(defect({.name = "r", .that = {}, .steps = {{0, 1}}}),
            "step: rule 'r' names steps, but its condition is not about modes, which alone depend "
            "on the step.");
  EXPECT_EQ(defect({.name = "r",
                    .that = {.op = RuleOp::in_mode, .memory = 0, .mode = "m0"},
                    .steps = {{2, 1}}}),
            "step: rule 'r' has the range of steps [2, 1), but it must not be empty or negative.");
}

}  // namespace
}  // namespace tessera
