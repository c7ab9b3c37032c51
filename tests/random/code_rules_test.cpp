// Random rules as code: every solver that takes their conditions, against brute force over the same
// rules as tables of all values.
#include "tessera/code_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "model/derived.h"
#include "model/optional.h"
#include "model/say.h"
#include "tests/support/brute_force.h"
#include "tests/support/engine_agreement.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

namespace tessera::testing {
namespace {

/// A rule as code, and the same rule as a condition.
struct BothForms {
  CodeRule code;
  ConditionRule condition;
};

RuleNode all_of(std::vector<RuleNode> parts) {
  RuleNode node{.op = RuleOp::all};
  node.of = std::move(parts);
  return node;
}
RuleNode not_all_of(std::vector<RuleNode> parts) {
  RuleNode node{.op = RuleOp::no};
  node.of.push_back(all_of(std::move(parts)));
  return node;
}
RuleNode at(BufferIndex buffer, const BufferPlace& place) {
  RuleNode equal{.op = RuleOp::equal};
  equal.of.push_back({.op = RuleOp::offset, .buffer = buffer});
  equal.of.push_back({.op = RuleOp::number, .number = place.offset});
  return all_of({{.op = RuleOp::in_memory, .buffer = buffer, .memory = place.memory}, equal});
}

/// A table of random truth values over all values that the rule can read.
class Table {
 public:
  Table(Random& random, const PlacementProblem& problem) : problem_(problem) {
    seed_ = random.next();
    percent_ = random.pick(std::vector<int>{97, 90, 70, 40, 10});
    std::vector<BufferIndex> buffers(problem.buffers.size());
    for (BufferIndex b = 0; b < buffers.size(); ++b) buffers[b] = b;
    random.shuffle(buffers);
    buffers.resize(std::min(buffers.size(), random.below(3)));
    rule_.buffers = buffers;
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m)
      if (has_modes(problem.memories[m]) && random.chance(60)) rule_.memories.push_back(m);
    rule_.next = !rule_.memories.empty() && random.chance(40);
    if (!rule_.memories.empty() && random.chance(30)) {
      const Step first = random.between(0, 3);
      rule_.steps = {{first, first + random.between(1, 3)}};
    }
    if (rule_.memories.empty() && rule_.buffers.empty()) rule_.buffers = {0};
    if (rule_.buffers.size() == 2 && !rule_.memories.empty()) rule_.buffers.pop_back();
  }

  /// Nothing if the table is too large for the oracle.
  std::optional<BothForms> forms(Random& random, const std::string& name) {
    rule_.name = name;
    std::vector<RuleNode> rows;
    fill({}, rows);
    if (count_ > most_rows) return std::nullopt;
    ConditionRule condition{.name = name, .that = all_of(std::move(rows)), .steps = rule_.steps};
    rule_.holds = [seed = seed_, percent = percent_](const RuleValues& values) {
      return passes(seed, percent, values);
    };
    if (!rule_.buffers.empty() && random.chance(50)) rule_.reason = reason();
    return BothForms{rule_, std::move(condition)};
  }

 private:
  static constexpr std::size_t most_rows = 700;
  using Values = std::pair<std::vector<BufferPlace>, std::vector<std::string>>;

  static bool passes(std::uint64_t seed, int percent, const RuleValues& values) {
    std::string text;
    for (const BufferPlace& place : values.places)
      text += say(place.memory, '@', place.offset, ' ');
    for (const std::string& mode : values.modes) text += mode + ' ';
    for (const std::string& mode : values.next_modes) text += '>' + mode;
    std::uint64_t hash = seed;
    for (const char each : text)
      hash = (hash ^ static_cast<unsigned char>(each)) * 1'099'511'628'211U;
    return static_cast<int>((hash >> 20U) % 100) < percent;
  }

  void fill(const Values& values, std::vector<RuleNode>& rows) {
    if (count_ > most_rows) return;
    const std::size_t k = values.first.size();
    if (k < rule_.buffers.size()) {
      for (MemoryIndex m = 0; m < problem_.memories.size(); ++m)
        for (Offset offset = 0; offset < std::min<Size>(problem_.memories[m].capacity, 100);
             ++offset) {
          Values more = values;
          more.first.push_back({m, offset});
          fill(more, rows);
        }
      return;
    }
    const std::size_t moded = rule_.memories.size();
    if (values.second.size() < moded * (rule_.next ? 2 : 1)) {
      for (const Mode& mode :
           all_modes(problem_.memories[rule_.memories[values.second.size() % moded]])) {
        Values more = values;
        more.second.push_back(mode.name);
        fill(more, rows);
      }
      return;
    }
    add_row(values, rows);
  }

  void add_row(const Values& values, std::vector<RuleNode>& rows) {
    ++count_;
    const std::span<const std::string> modes(values.second);
    const std::size_t moded = rule_.memories.size();
    const BufferPlace* first = values.first.empty() ? nullptr : values.first.data();
    if (passes(seed_, percent_, {values.first, modes.subspan(0, moded), modes.subspan(moded)})) {
      if (first) alive_.emplace(first->memory, first->offset);
      return;
    }
    std::vector<RuleNode> parts;
    for (std::size_t k = 0; k < values.first.size(); ++k)
      parts.push_back(at(rule_.buffers[k], values.first[k]));
    for (std::size_t k = 0; k < values.second.size(); ++k)
      parts.push_back({.op = RuleOp::in_mode,
                       .memory = rule_.memories[k % moded],
                       .mode = values.second[k],
                       .next = k >= moded});
    rows.push_back(not_all_of(std::move(parts)));
  }

  /// The first buffer cannot have a place for which every row fails.
  [[nodiscard]] std::function<std::string(const RuleValues&)> reason() const {
    const std::string id = problem_.buffers[rule_.buffers[0]].id;
    std::vector<std::string> memories;
    for (const Memory& memory : problem_.memories) memories.push_back(memory.name);
    return [id, memories, alive = alive_](const RuleValues& values) -> std::string {
      const BufferPlace& place = values.places[0];
      if (alive.contains({place.memory, place.offset})) return {};
      return say("not (memory(", id, ") == ", memories[place.memory], " and offset(", id,
                 ") == ", place.offset, ")");
    };
  }

  const PlacementProblem& problem_;
  CodeRule rule_{};
  std::uint64_t seed_ = 0;
  int percent_ = 0;
  std::size_t count_ = 0;
  std::set<std::pair<MemoryIndex, Offset>>
      alive_;  ///< places of the first buffer in rows that pass
};

/// factor * offset(a) + constant <= offset(b), with itself as the reason
BothForms comparison(Random& random, const PlacementProblem& problem, const std::string& name) {
  const BufferIndex a = random.below(problem.buffers.size());
  const BufferIndex b = (a + 1) % problem.buffers.size();
  const std::int64_t factor = random.between(-1, 2);
  const std::int64_t constant = random.between(-6, 3);
  BothForms forms;
  forms.code = {.name = name, .buffers = {a, b}};
  forms.code.holds = [=](const RuleValues& values) {
    return factor * values.places[0].offset + constant <= values.places[1].offset;
  };
  const std::string text = say(factor, " * offset(", problem.buffers[a].id, ") + ", constant,
                               " <= offset(", problem.buffers[b].id, ")");
  if (random.chance(70)) forms.code.reason = [text](const RuleValues&) { return text; };
  PlacementProblem parsed = problem;
  add_rule(parsed, {.name = name, .that = text});
  forms.condition = parsed.rules.back();
  return forms;
}

struct Case {
  PlacementProblem problem;
  std::vector<CodeRule> rules;
  PlacementProblem as_conditions;
};

Case random_case(std::uint64_t seed) {
  Random random(seed);
  Case made;
  made.problem =
      random_problem(random, random.chance(15) ? Features::all_with_parts() : Features::all());
  made.as_conditions = made.problem;
  const std::int64_t count = random.between(1, 2);
  for (std::int64_t k = 0; k < count; ++k) {
    const std::string name = say("code", k);
    std::optional<BothForms> forms;
    if (made.problem.buffers.size() > 1 && random.chance(25))
      forms = comparison(random, made.problem, name);
    else
      forms = Table(random, made.problem).forms(random, name);
    if (!forms) continue;
    made.rules.push_back(forms->code);
    made.as_conditions.rules.push_back(forms->condition);
  }
  return made;
}

constexpr std::array goals{std::pair{Objective::fit, OracleGoal::any},
                           std::pair{Objective::fit, OracleGoal::any},
                           std::pair{Objective::height, OracleGoal::heights},
                           std::pair{Objective::cost, OracleGoal::cost},
                           std::pair{Objective::modes, OracleGoal::modes},
                           std::pair{Objective::switches, OracleGoal::switches}};

std::int64_t least_value(const PlacementResult& result, Objective goal) {
  if (goal == Objective::fit) return 0;
  if (goal == Objective::cost) return result.cost;
  if (goal != Objective::height) return result.objectives.front().value;
  std::vector<Size> falling = result.heights;
  std::sort(falling.rbegin(), falling.rend());
  std::int64_t value = 0;
  for (const Size each : falling) value = 1000 * value + each;
  return value;
}

PlacementProblem learned_problem(const Case& made, const CodeRuleResult& found) {
  PlacementProblem problem = made.problem;
  problem.rules.insert(problem.rules.end(), found.learned.begin(), found.learned.end());
  return problem;
}

/// Compares a result with the oracle's; the error if there is one.
void expect_right(const Case& made, const CodeRuleResult& found, Objective goal,
                  const std::optional<OracleAnswer>& expected) {
  const PlacementResult& result = found.result;
  ASSERT_EQ(result.status, expected ? Status::feasible : Status::infeasible)
      << result.engine << ' ' << result.reason;
  const PlacementProblem learned = learned_problem(made, found);
  if (!expected) {
    ASSERT_FALSE(brute_force(learned)) << result.engine;
    ASSERT_EQ(found.learned.empty(), result.reason.find("'code") == std::string::npos)
        << result.reason;
    return;
  }
  ASSERT_TRUE(keeps_every_rule(learned, expected->placement)) << "a learned condition is wrong";
  ASSERT_TRUE(keeps_every_rule(made.as_conditions, *result.placement)) << result.engine;
  ASSERT_TRUE(check(made.problem, made.rules, *result.placement).empty());
  // With parts, a query about a lower height limits used bytes only and may end without a proof.
  const bool parts = std::ranges::any_of(made.problem.buffers,
                                         [](const Buffer& each) { return !each.parts.empty(); });
  if (goal == Objective::height && parts) {
    ASSERT_GE(least_value(result, goal), expected->value) << result.engine;
    ASSERT_LE(result.lower_bound, std::ranges::max(heights(made.problem, expected->placement)));
    return;
  }
  ASSERT_EQ(least_value(result, goal), expected->value) << result.engine;
  if (!result.objectives.empty()) {
    ASSERT_TRUE(result.objectives.front().proved) << result.engine;
  }
}

TEST(RandomCodeRules, SolversAgreeWithBruteForce) {
  const RandomRun run = from_environment({600'000, 120});
  std::map<std::string, std::int64_t> count;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::uint64_t seed = run.seed + k;
    const Case made = random_case(seed);
    if (made.rules.empty()) {
      ++count["without a rule"];
      continue;
    }
    const auto [goal, oracle] = goals[seed % goals.size()];
    std::optional<OracleAnswer> expected;
    try {
      expected = brute_force(made.as_conditions, oracle);
    } catch (const std::length_error&) {
      ++count["too large for the oracle"];
      continue;
    }
    ++count[expected ? "feasible" : "infeasible"];
    for (const char* const engine : {"auto", "sat", "smt"}) {
      CodeRuleResult found;
      try {
        found = place(made.problem, made.rules, {.engine = engine, .minimize = goal});
      } catch (const BadInput& refused) {
        ++count[std::string(engine) + " refused"];
        ASSERT_NE(std::string(refused.what()).find("support"), std::string::npos) << refused.what();
        continue;
      }
      ++count[engine];
      count["learned"] += std::ssize(found.learned);
      if (!expected && !found.learned.empty()) ++count["infeasible by rules"];
      expect_right(made, found, goal, expected);
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed << ", " << engine << '\n'
                                                       << to_yaml(learned_problem(made, found));
    }
  }
  for (const auto& [what, times] : count) std::cout << what << ' ' << times << "  ";
  std::cout << '\n';
  EXPECT_LE(count["too large for the oracle"],
            1 + std::ssize(goals) + static_cast<std::int64_t>(run.count / 50));
}

/// A rule ignores a placement without all of its buffers.
TEST(RandomCodeRules, TheLargestBenefitAgreesWithBruteForce) {
  const RandomRun run = from_environment({700'000, 60});
  int compared = 0;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::uint64_t seed = run.seed + k;
    Case made = random_case(seed);
    Random random(seed);
    std::vector<BufferIndex> optional;
    for (BufferIndex b = 0; b < made.problem.buffers.size() && optional.size() < 3; ++b)
      if (random.chance(50)) optional.push_back(b);
    if (made.rules.empty() || optional.size() == made.problem.buffers.size()) continue;
    for (PlacementProblem* each : {&made.problem, &made.as_conditions})
      for (const BufferIndex b : optional) {
        each->buffers[b].optional = true;
        each->buffers[b].benefit = static_cast<Benefit>(1 + b % 4) * 1000;
      }
    std::optional<Benefit> best;
    CodeRuleResult found;
    try {
      for (std::size_t out = 0; out < std::size_t{1} << optional.size(); ++out) {
        std::vector<BufferIndex> left_out;
        Benefit benefit = whole_benefit(made.problem);
        for (std::size_t i = 0; i < optional.size(); ++i)
          if ((out >> i & 1U) != 0) {
            left_out.push_back(optional[i]);
            benefit -= made.problem.buffers[optional[i]].benefit;
          }
        if (best && benefit <= *best) continue;
        if (brute_force(chosen(made.as_conditions, left_out).problem)) best = benefit;
      }
      found = place(made.problem, made.rules, {.minimize = Objective::benefit});
    } catch (const std::length_error&) {
      continue;
    } catch (const BadInput&) {
      continue;
    }
    ++compared;
    const PlacementResult& result = found.result;
    ASSERT_EQ(result.status, best ? Status::feasible : Status::infeasible)
        << seed << '\n'
        << to_yaml(learned_problem(made, found));
    if (!best) continue;
    ASSERT_EQ(result.benefit, *best) << seed << '\n' << to_yaml(learned_problem(made, found));
    ASSERT_TRUE(result.proven_optimal) << seed;
    ASSERT_TRUE(check(made.as_conditions, *result.placement).empty()) << seed;
    ASSERT_TRUE(check(made.problem, made.rules, *result.placement).empty()) << seed;
  }
  std::cout << compared << " compared\n";
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace tessera::testing
