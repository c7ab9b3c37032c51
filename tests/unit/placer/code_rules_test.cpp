#include "tessera/code_rules.h"

#include <gtest/gtest.h>

#include "tessera/errors.h"
#include "tessera/explain.h"

namespace tessera {
namespace {

PlacementProblem two_buffers() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 16});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 4});
  problem.buffers.push_back({.id = "b", .live = {{0, 2}}, .size = 4});
  return problem;
}

PlacementProblem with_modes() {
  PlacementProblem problem = two_buffers();
  problem.memories[0].banks = {{.name = "k0", .size = 8}, {.name = "k1", .size = 8}};
  problem.memories[0].modes = {{"m0", {Role::read_write, Role::read_write}},
                               {"m1", {Role::read, Role::read_write}}};
  return problem;
}

CodeRule never(std::vector<BufferIndex> buffers) {
  CodeRule rule{.name = "never", .buffers = std::move(buffers)};
  rule.holds = [](const RuleValues&) { return false; };
  return rule;
}

/// The exclusive or of two address bits selects a channel, which differs.
CodeRule two_channels() {
  CodeRule rule{.name = "two channels", .buffers = {0, 1}};
  rule.holds = [](const RuleValues& values) {
    const auto channel = [](Offset at) { return (at >> 2 ^ at >> 3) & 1; };
    return channel(values.places[0].offset) != channel(values.places[1].offset);
  };
  return rule;
}

std::string refusal(const PlacementProblem& problem, const CodeRule& rule,
                    const PlaceParams& params = {}) {
  try {
    static_cast<void>(place(problem, {rule}, params));
  } catch (const BadInput& bad) {
    return bad.what();
  }
  return {};
}

TEST(CodeRules, PlacementSatisfiesThem) {
  const PlacementProblem problem = two_buffers();
  const CodeRuleResult found = place(problem, {two_channels()}, {});
  ASSERT_EQ(found.result.status, Status::feasible);
  EXPECT_TRUE(check(problem, {two_channels()}, *found.result.placement).empty());
}

TEST(CodeRules, WithoutRulesThePlacementIsThatOfPlace) {
  const CodeRuleResult found = place(two_buffers(), {}, {.minimize = Objective::height});
  EXPECT_EQ(found.result.height, 8);
  EXPECT_TRUE(found.learned.empty());
}

TEST(CodeRules, CheckNamesTheRuleAndTheStep) {
  const PlacementProblem problem = with_modes();
  CodeRule rule{.name = "only m0 at first", .memories = {0}, .steps = {{1, 2}}};
  rule.holds = [](const RuleValues& values) { return values.modes[0] == "m0"; };
  const Placement placement{.places = {{0, 0}, {0, 8}}, .modes = {{"m1", "m1"}}};
  const auto violations = check(problem, {rule}, placement);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].rule, Rule::condition);
  EXPECT_EQ(violations[0].step, Step{1});
  EXPECT_EQ(violations[0].message, "Rule 'only m0 at first' does not hold at step 1.");
}

TEST(CodeRules, InfeasibilityNamesThemAndIsExplained) {
  PlacementProblem problem = two_buffers();
  problem.memories[0].capacity = 6;
  problem.buffers.pop_back();
  const CodeRuleResult found = place(problem, {never({0})}, {});
  ASSERT_EQ(found.result.status, Status::infeasible);
  EXPECT_NE(found.result.reason.find(". Rejected by rules as code: 'never' 3 times."),
            std::string::npos)
      << found.result.reason;
  EXPECT_EQ(found.learned.size(), 3U);
  problem.rules = found.learned;
  const Explanation why = explain(problem);
  EXPECT_EQ(why.status, Status::infeasible);
  EXPECT_NE(why.text.find("the rule never"), std::string::npos) << why.text;
}

TEST(CodeRules, AReasonExcludesMoreThanTheValues) {
  const PlacementProblem problem = two_buffers();
  CodeRule rule{.name = "far", .buffers = {0, 1}};
  rule.holds = [](const RuleValues& values) {
    return values.places[0].offset + 12 <= values.places[1].offset;
  };
  const CodeRuleResult slow = place(problem, {rule}, {});
  rule.reason = [](const RuleValues&) { return "offset(a) + 12 <= offset(b)"; };
  const CodeRuleResult quick = place(problem, {rule}, {});
  EXPECT_EQ(slow.result.status, Status::feasible);
  EXPECT_EQ(quick.result.placement->places, slow.result.placement->places);
  EXPECT_EQ(quick.learned.size(), 1U);
  EXPECT_GT(slow.learned.size(), 1U);
}

TEST(CodeRules, AReasonAboutFewerBuffersNeedsAllOfThem) {
  PlacementProblem problem = two_buffers();
  problem.memories[0].capacity = 4;
  for (Buffer& buffer : problem.buffers) {
    buffer.optional = true;
    buffer.benefit = 1000;
  }
  problem.buffers[0].benefit = 2000;
  problem.buffers[1].live = {{2, 3}};
  CodeRule rule = never({0, 1});
  rule.reason = [](const RuleValues&) { return "offset(a) != 0"; };
  const CodeRuleResult found = place(problem, {rule}, {.minimize = Objective::benefit});
  EXPECT_EQ(found.result.benefit, 2000);  // of `a` alone, at 0
  EXPECT_TRUE(found.result.proven_optimal);
}

TEST(CodeRules, ModesOfTwoStepsAreRead) {
  CodeRule rule{.name = "alternate", .memories = {0}, .next = true};
  rule.holds = [](const RuleValues& values) { return values.modes[0] != values.next_modes[0]; };
  const CodeRuleResult found = place(with_modes(), {rule}, {});
  ASSERT_EQ(found.result.status, Status::feasible);
  EXPECT_NE(found.result.placement->modes[0][0], found.result.placement->modes[0][1]);
}

TEST(CodeRules, ALimitIsNotANo) {
  const CodeRuleResult few = place(two_buffers(), {never({0, 1})}, {}, 5);
  EXPECT_EQ(few.result.status, Status::unknown);
  EXPECT_EQ(few.result.stop, StopReason::node_limit);
  EXPECT_FALSE(few.result.placement);
  EXPECT_NE(few.result.reason.find("'never' 5 times"), std::string::npos) << few.result.reason;
  EXPECT_EQ(few.learned.size(), 5U);

  std::stop_source stop;
  CodeRule stopping = never({0, 1});
  stopping.holds = [&](const RuleValues&) { return stop.request_stop() && false; };
  const CodeRuleResult stopped =
      place(two_buffers(), {stopping}, {.limits = {.stop = stop.get_token()}});
  EXPECT_EQ(stopped.result.status, Status::unknown);
  EXPECT_EQ(stopped.result.stop, StopReason::interrupted);
}

TEST(CodeRules, WrongRulesAreRefused) {
  const PlacementProblem problem = two_buffers();
  EXPECT_NE(refusal(problem, {.name = "x"}).find("rule 'x' has no code"), std::string::npos);
  EXPECT_NE(refusal(problem, never({0, 0})).find("twice"), std::string::npos);
  EXPECT_NE(refusal(problem, never({7})).find("buffer number 7"), std::string::npos);
  CodeRule rule = never({0});
  rule.memories = {0};
  EXPECT_NE(refusal(problem, rule).find("modes of memory 'sram', which has none"),
            std::string::npos);
  rule.memories = {3};
  EXPECT_NE(refusal(problem, rule).find("memory number 3"), std::string::npos);
  rule.memories = {};
  rule.next = true;
  EXPECT_NE(refusal(problem, rule).find("names steps"), std::string::npos);
  rule = never({0});
  rule.name.clear();
  EXPECT_NE(refusal(problem, rule).find("name"), std::string::npos);
  rule = never({0});
  rule.reason = [](const RuleValues&) { return "offset(c) == 0"; };
  EXPECT_NE(refusal(problem, rule).find("unknown buffer `c`"), std::string::npos);
  rule.reason = [](const RuleValues&) { return "offset(a) >= 0"; };
  EXPECT_NE(refusal(problem, rule).find("its reason does not"), std::string::npos);
}

TEST(CodeRules, CertificatesAndOtherSolversAreRefused) {
  EXPECT_NE(refusal(two_buffers(), never({0}), {.proof = "x.proof"}).find("certificate"),
            std::string::npos);
  EXPECT_NE(refusal(two_buffers(), never({0}), {.engine = "learning"}).find("rules"),
            std::string::npos);
  PlacementProblem unbounded_memory = two_buffers();
  unbounded_memory.memories[0].capacity = unbounded;
  EXPECT_NE(refusal(unbounded_memory, never({0})).find("capacity"), std::string::npos);
}

}  // namespace
}  // namespace tessera
