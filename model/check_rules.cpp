// Checks the rules of the machine: evaluates each condition for the placement.
#include <algorithm>
#include <utility>

#include "check_parts.h"
#include "model/rules.h"

namespace tessera::checking {
namespace {

class RuleValue {
 public:
  explicit RuleValue(const Context& context) : context_(context) {}

  /// Does the condition hold at this step?
  [[nodiscard]] bool holds(const RuleNode& node, Step step) {
    switch (node.op) {
      case RuleOp::all:
        return std::ranges::all_of(node.of,
                                   [&](const RuleNode& each) { return holds(each, step); });
      case RuleOp::any:
        return std::ranges::any_of(node.of,
                                   [&](const RuleNode& each) { return holds(each, step); });
      case RuleOp::no:
        return !holds(node.of[0], step);
      case RuleOp::in_memory:
        return context_.memory_of(node.buffer) == node.memory;
      case RuleOp::in_mode:
        return context_.placement
                   .modes[node.memory][static_cast<std::size_t>(step + (node.next ? 1 : 0))] ==
               node.mode;
      default:
        return for_all_banks(node, banks_named(node), 0);
    }
  }

 private:
  static std::vector<BufferIndex> banks_named(const RuleNode& node) {
    std::vector<BufferIndex> found;
    for_each_node(node, [&](const RuleNode& each) {
      if (each.op == RuleOp::bank && std::ranges::find(found, each.buffer) == found.end())
        found.push_back(each.buffer);
    });
    return found;
  }

  /// Chooses a touched bank for each of the buffers in all ways.
  bool for_all_banks(const RuleNode& node, const std::vector<BufferIndex>& buffers,
                     std::size_t chosen) {
    if (chosen == buffers.size()) return compare(node);
    const std::vector<std::size_t> touched = context_.touched_banks(buffers[chosen]);
    return std::ranges::all_of(touched, [&](std::size_t bank) {
      banks_.resize(chosen);
      banks_.emplace_back(buffers[chosen], bank);
      return for_all_banks(node, buffers, chosen + 1);
    });
  }

  [[nodiscard]] bool compare(const RuleNode& node) const {
    const WideInteger a = value(node.of[0]);
    if (node.op == RuleOp::one_of)
      return std::any_of(node.of.begin() + 1, node.of.end(),
                         [&](const RuleNode& each) { return each.number == a; });
    const WideInteger b = value(node.of[1]);
    if (node.op == RuleOp::equal) return a == b;
    if (node.op == RuleOp::not_equal) return a != b;
    return node.op == RuleOp::less ? a < b : a <= b;
  }

  [[nodiscard]] WideInteger value(const RuleNode& term) const {
    switch (term.op) {
      case RuleOp::offset:
        return context_.offset(term.buffer);
      case RuleOp::size:
        return context_.buffer(term.buffer).size;
      case RuleOp::bank:
        return static_cast<WideInteger>(
            std::ranges::find(banks_, term.buffer, &std::pair<BufferIndex, std::size_t>::first)
                ->second);
      case RuleOp::plus:
        return value(term.of[0]) + value(term.of[1]);
      case RuleOp::minus:
        return value(term.of[0]) - value(term.of[1]);
      case RuleOp::times:
        return value(term.of[0]) * value(term.of[1]);
      case RuleOp::modulo:
        return remainder_of(value(term.of[0]), value(term.of[1]));
      default:
        return term.number;
    }
  }

  const Context& context_;
  std::vector<std::pair<BufferIndex, std::size_t>> banks_;  ///< the banks chosen at present
};

/// "offset of 'a' 12, ...": the addresses that the condition is about.
std::string facts_of(const Context& context, const std::vector<BufferIndex>& buffers) {
  std::string text;
  for (const BufferIndex b : buffers)
    text += say(text.empty() ? "; " : ", ", context.where(b), " of memory '",
                context.memory(b).name, '\'');
  return text;
}

bool can_be_evaluated(const Context& context, const ConditionRule& rule,
                      const std::vector<BufferIndex>& buffers, Step end) {
  if (!std::ranges::all_of(buffers, [&](BufferIndex b) { return context.sane[b] != 0; }))
    return false;
  bool modes = true;  // check_shape() reports a missing schedule
  for_each_node(rule.that, [&](const RuleNode& node) {
    if (node.op != RuleOp::in_mode) return;
    modes = modes && node.memory < context.placement.modes.size() &&
            context.placement.modes[node.memory].size() == static_cast<std::size_t>(end);
  });
  return modes;
}

}  // namespace

void check_rules(Context& context) {
  const PlacementProblem& problem = context.problem;
  if (problem.rules.empty()) return;
  const Step end = horizon(problem);
  RuleValue value(context);
  for (std::size_t r = 0; r < problem.rules.size() && !context.full(); ++r) {
    const ConditionRule& rule = problem.rules[r];
    const std::vector<BufferIndex> buffers = buffers_of(rule.that);
    if (!can_be_evaluated(context, rule, buffers, end)) continue;
    const bool modes = about_modes(rule.that);
    for_each_step(rule, end, [&](Step step) {
      if (value.holds(rule.that, step)) return true;
      context.add({.rule = Rule::condition,
                   .buffers = buffers,
                   .step = modes ? std::optional(step) : std::nullopt,
                   .condition = r,
                   .message = say("Rule '", rule.name, "' does not hold",
                                  modes ? say(" at step ", step) : std::string(), ": ",
                                  to_string(problem, rule.that), facts_of(context, buffers), '.')});
      return false;
    });
  }
}

}  // namespace tessera::checking
