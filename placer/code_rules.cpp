// Rules as code: search, evaluate, exclude the values that a rule rejects, repeat.
//
// Each round solves a relaxation: the problem with the conditions learned so far. All of them
// follow from the rules, so infeasibility and bounds of a round hold for the problem with its
// rules, and a placement that satisfies the rules is optimal if it is in the round.
#include "tessera/code_rules.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "model/derived.h"
#include "model/joint_modes.h"
#include "model/rules.h"
#include "model/say.h"
#include "placer/make_engine.h"
#include "placer/refusals.h"
#include "tessera/errors.h"
#include "validation/limited_budget.h"
#include "validation/requirements.h"

namespace tessera::placer {
namespace {

/// The values that a rule read, and where.
struct Reading {
  std::vector<BufferPlace> places;
  std::vector<std::string> modes;
  std::vector<std::string> next_modes;
  std::optional<Step> step;

  [[nodiscard]] RuleValues values() const { return {places, modes, next_modes}; }
};

RuleNode both(std::vector<RuleNode> parts) {
  RuleNode node{.op = RuleOp::all};
  node.of = std::move(parts);
  return node;
}
RuleNode offset_is(BufferIndex buffer, Offset offset) {
  return joined(RuleOp::equal, {.op = RuleOp::offset, .buffer = buffer},
                {.op = RuleOp::number, .number = offset});
}
RuleNode at_least_zero(BufferIndex buffer) {
  return joined(RuleOp::at_most, {.op = RuleOp::number}, {.op = RuleOp::offset, .buffer = buffer});
}

/// Every placement has other values than these.
ConditionRule without(const CodeRule& rule, const Reading& found) {
  std::vector<RuleNode> equal;
  for (std::size_t k = 0; k < rule.buffers.size(); ++k) {
    equal.push_back(
        {.op = RuleOp::in_memory, .buffer = rule.buffers[k], .memory = found.places[k].memory});
    equal.push_back(offset_is(rule.buffers[k], found.places[k].offset));
  }
  for (std::size_t k = 0; k < rule.memories.size(); ++k) {
    equal.push_back({.op = RuleOp::in_mode, .memory = rule.memories[k], .mode = found.modes[k]});
    if (rule.next)
      equal.push_back({.op = RuleOp::in_mode,
                       .memory = rule.memories[k],
                       .mode = found.next_modes[k],
                       .next = true});
  }
  return {.name = rule.name, .that = negated(both(std::move(equal))), .steps = rule.steps};
}

/// A condition with the buffers, memories and steps of the rule that always holds.
ConditionRule always(const PlacementProblem& problem, const CodeRule& rule) {
  Reading any{.places = std::vector<BufferPlace>(rule.buffers.size()), .modes = {}};
  for (const MemoryIndex m : rule.memories) {
    const auto modes = m < problem.memories.size()
                           ? joint_modes(problem.memories[m], most_counted_modes)
                           : std::nullopt;
    any.modes.push_back(modes && !modes->empty() ? modes->front().name : std::string());
  }
  any.next_modes = any.modes;
  ConditionRule condition = without(rule, any);
  condition.that.op = RuleOp::any;
  condition.that.of.push_back(both({}));
  return condition;
}

void require_code(const CodeRule& rule) {
  const std::string who = "rule '" + rule.name + "' ";
  if (!rule.holds) throw BadInput(who + "has no code", "set `holds`");
  const std::set<BufferIndex> buffers(rule.buffers.begin(), rule.buffers.end());
  const std::set<MemoryIndex> memories(rule.memories.begin(), rule.memories.end());
  if (buffers.size() < rule.buffers.size() || memories.size() < rule.memories.size())
    throw BadInput(who + "names a buffer or memory twice");
  if (rule.memories.empty() && (rule.next || !rule.steps.empty()))
    throw BadInput(who + "names steps, but reads no modes, which alone depend on the step");
}

/// Throws BadInput if a rule is wrong.
PlacementProblem with_all(PlacementProblem problem, const std::vector<CodeRule>& rules) {
  validation::require_valid(problem);
  for (const CodeRule& rule : rules) {
    require_code(rule);
    problem.rules.push_back(always(problem, rule));
  }
  validation::require_valid(problem);
  return problem;
}

/// Calls act(Reading) for each step at which the rule applies, until it returns false.
template <typename Act>
void for_each_reading(const CodeRule& rule, const ConditionRule& condition,
                      const Placement& placement, const Act& act) {
  Reading now;
  for (const BufferIndex b : rule.buffers) {
    if (std::ranges::binary_search(placement.left_out, b)) return;
    now.places.push_back(placement.places[b]);
  }
  Step end = 1;
  if (!rule.memories.empty()) end = std::ssize(placement.modes[rule.memories.front()]);
  for_each_step(condition, end, [&](Step step) {
    now.modes.clear();
    now.next_modes.clear();
    for (const MemoryIndex m : rule.memories) {
      now.step = step;
      now.modes.push_back(placement.modes[m][static_cast<std::size_t>(step)]);
      if (rule.next)
        now.next_modes.push_back(placement.modes[m][static_cast<std::size_t>(step) + 1]);
    }
    return act(now);
  });
}

class CodeRulePlacer {
 public:
  CodeRulePlacer(const PlacementProblem& problem, const std::vector<CodeRule>& rules,
                 const PlaceParams& params)
      : rules_(rules), params_(params), limited_(params.limits), problem_(problem) {}

  CodeRuleResult run(std::int64_t most_rejected) {
    const auto start = std::chrono::steady_clock::now();
    require();
    CodeRuleResult found;
    std::int64_t rejected = 0;
    while (true) {
      PlaceParams own = params_;
      own.limits = validation::rest_of(params_.limits, limited_.budget());
      found.result = place(problem_, own);
      add_stats(found.result.stats);
      if (!found.result.placement || !rejects(*found.result.placement)) break;
      if (++rejected < most_rejected) continue;
      give_up(found.result);
      break;
    }
    found.result.stats = added_up(stats_);
    found.result.stats.push_back({"rejected_placements", rejected});
    if (!found.result.placement) name_rules(found.result.reason);
    found.learned.assign(problem_.rules.begin() + std::ssize(problem_.rules) - learned_,
                         problem_.rules.end());
    found.result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return found;
  }

 private:
  /// Throws BadInput if no solver would take the conditions.
  void require() {
    const PlacementProblem all = with_all(problem_, rules_);
    conditions_.assign(all.rules.end() - std::ssize(rules_), all.rules.end());
    if (!params_.proof.empty())
      throw BadInput("a certificate cannot contain rules as code",
                     "append the conditions that were learned to the rules of the problem, and "
                     "place it without the code");
    if (rules_.empty()) return;
    for (const Objective each : resolve_objectives(params_.minimize, problem_))
      require_some_engine(all, goal_of(each));
  }

  void require_some_engine(const PlacementProblem& all, Objective goal) const {
    if (params_.engine != "auto") return require_engine(all, params_.engine, goal);
    Refusals refusals;
    for (const char* const name : {"sat", "smt"}) {
      const std::unique_ptr<engine::PlacementEngine> engine = make_engine(name, {});
      if (!engine) continue;  // a build without Z3
      const auto why = engine->unsupported(all, goal);
      if (!why) return;
      refusals.add(*engine, engine::features_asked(all, goal), *why);
    }
    throw BadInput("no engine supports this problem: " + refusals.text());
  }

  /// Does a rule reject the placement? Then the problem has more conditions afterwards.
  bool rejects(const Placement& placement) {
    const std::size_t known = problem_.rules.size();
    bool rejected = false;
    for (std::size_t r = 0; r < rules_.size(); ++r)
      for_each_reading(rules_[r], conditions_[r], placement, [&](const Reading& found) {
        if (rules_[r].holds(found.values())) return true;
        rejected = true;
        learn(rules_[r], found, placement, known);
        return true;
      });
    return rejected;
  }

  /// `known`: number of conditions before this placement.
  void learn(const CodeRule& rule, const Reading& found, const Placement& placement,
             std::size_t known) {
    ++by_rule_[rule.name];
    const std::string reason = rule.reason ? rule.reason(found.values()) : std::string();
    ConditionRule condition = reason.empty() ? without(rule, found) : condition_of(rule, reason);
    // two steps may have the same values
    const auto begin = problem_.rules.begin() + static_cast<std::ptrdiff_t>(known);
    if (std::find(begin, problem_.rules.end(), condition) != problem_.rules.end()) return;
    problem_.rules.push_back(std::move(condition));
    ++learned_;
    if (reason.empty()) return;
    const auto violations = check(problem_, placement, 1 + problem_.rules.size());
    const bool excludes = std::ranges::any_of(violations, [&](const Violation& each) {
      return each.condition == std::optional(problem_.rules.size() - 1);
    });
    if (!excludes)
      throw BadInput(
          "rule '" + rule.name + "' rejects a placement, but its reason does not: " + reason,
          "return a condition that does not hold for the values, or an empty text");
  }

  [[nodiscard]] ConditionRule condition_of(const CodeRule& rule, const std::string& reason) const {
    PlacementProblem parsed = problem_;
    add_rule(parsed, {.name = rule.name, .steps = rule.steps, .that = reason});
    ConditionRule& condition = parsed.rules.back();
    if (!about_modes(condition.that)) condition.steps.clear();
    apply_to_all(rule, condition);
    validation::require_valid(parsed);
    return condition;
  }

  /// A condition applies if all buffers that it names are placed: it names all of the rule.
  static void apply_to_all(const CodeRule& rule, ConditionRule& condition) {
    const std::vector<BufferIndex> named = buffers_of(condition.that);
    std::vector<RuleNode> parts{std::move(condition.that)};
    for (const BufferIndex b : rule.buffers)
      if (!std::ranges::binary_search(named, b)) parts.push_back(at_least_zero(b));
    condition.that = parts.size() == 1 ? std::move(parts.front()) : both(std::move(parts));
  }

  static void give_up(PlacementResult& result) {
    PlacementResult unknown;
    unknown.stop = StopReason::node_limit;
    unknown.lower_bounds = result.lower_bounds;
    unknown.lower_bound = result.lower_bound;
    unknown.heights.assign(result.heights.size(), 0);
    unknown.engine = result.engine;
    unknown.seed = result.seed;
    unknown.reason = "The limit on rejected placements is reached.";
    result = std::move(unknown);
  }

  void name_rules(std::string& reason) const {
    if (by_rule_.empty()) return;
    if (!reason.empty()) reason += reason.ends_with('.') ? " " : ". ";
    reason += "Rejected by rules as code:";
    for (const auto& [name, times] : by_rule_)
      reason += say(name == by_rule_.begin()->first ? " " : ", ", '\'', name, "' ", times,
                    times == 1 ? " time" : " times");
    reason += '.';
  }

  void add_stats(const Stats& more) { stats_.insert(stats_.end(), more.begin(), more.end()); }

  const std::vector<CodeRule>& rules_;
  const PlaceParams& params_;
  validation::LimitedBudget limited_;
  PlacementProblem problem_;               ///< with the learned conditions
  std::vector<ConditionRule> conditions_;  ///< per rule: always()
  std::ptrdiff_t learned_ = 0;
  std::map<std::string, std::int64_t> by_rule_;  ///< values that it rejected
  Stats stats_;
};

}  // namespace
}  // namespace tessera::placer

namespace tessera {

CodeRuleResult place(const PlacementProblem& problem, const std::vector<CodeRule>& rules,
                     const PlaceParams& params, std::int64_t most_rejected) {
  return placer::CodeRulePlacer(problem, rules, params).run(most_rejected);
}

std::vector<Violation> check(const PlacementProblem& problem, const std::vector<CodeRule>& rules,
                             const Placement& placement, std::size_t limit) {
  const PlacementProblem all = placer::with_all(problem, rules);
  std::vector<Violation> violations = check(problem, placement, limit);
  if (!violations.empty()) return violations;
  for (std::size_t r = 0; r < rules.size() && violations.size() < limit; ++r) {
    const ConditionRule& condition = all.rules[problem.rules.size() + r];
    placer::for_each_reading(rules[r], condition, placement, [&](const placer::Reading& found) {
      if (rules[r].holds(found.values())) return true;
      violations.push_back(
          {.rule = Rule::condition,
           .buffers = rules[r].buffers,
           .step = found.step,
           .message = say("Rule '", rules[r].name, "' does not hold",
                          found.step ? say(" at step ", *found.step) : std::string(), '.')});
      return false;
    });
  }
  return violations;
}

}  // namespace tessera
