// Questions about the condition of a rule.
//
//   if (about_modes(rule.that)) ...                 // it holds at each of its steps
//   for_each_node(rule.that, [&](const RuleNode& node) { ... });
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "tessera/problem.h"

namespace tessera {

/// Values of terms: products of addresses exceed 64 bits.
__extension__ using WideInteger = __int128;

template <typename Node, typename Act>
void for_each_node(Node& node, const Act& act) {
  act(node);
  for (auto& child : node.of) for_each_node(child, act);
}

[[nodiscard]] constexpr bool names_buffer(RuleOp op) {
  return op == RuleOp::offset || op == RuleOp::size || op == RuleOp::bank ||
         op == RuleOp::in_memory;
}
[[nodiscard]] constexpr bool is_comparison(RuleOp op) {
  return op == RuleOp::equal || op == RuleOp::not_equal || op == RuleOp::less ||
         op == RuleOp::at_most || op == RuleOp::one_of;
}
[[nodiscard]] constexpr bool is_term(RuleOp op) {
  return op <= RuleOp::modulo;
}

[[nodiscard]] RuleNode joined(RuleOp op, RuleNode a, RuleNode b);
[[nodiscard]] RuleNode negated(RuleNode a);

/// Does the term depend on the placement?
[[nodiscard]] bool varies(const RuleNode& term);

[[nodiscard]] bool about_modes(const RuleNode& node);
[[nodiscard]] bool about_next_modes(const RuleNode& node);
/// Sorted, without duplicates.
[[nodiscard]] std::vector<BufferIndex> buffers_of(const RuleNode& node);

/// Does every placement that satisfies it satisfy it with smaller buffers at the same places? Not
/// certain for a condition on sizes, or one that requires a buffer to touch a bank.
[[nodiscard]] bool holds_for_smaller(const RuleNode& node);

/// The rule after buffer b becomes index[b]; nothing if it names a buffer that is gone
/// (relations.h).
[[nodiscard]] std::optional<ConditionRule> remaining(const ConditionRule& rule,
                                                     const std::vector<BufferIndex>& index);

/// Calls act(step) for each step at which the rule holds: once with step 0 if it is not about
/// modes. act() returns whether to continue.
/// require: `end` is the horizon of the problem.
template <typename Act>
void for_each_step(const ConditionRule& rule, Step end, const Act& act) {
  if (!about_modes(rule.that)) {
    act(Step{0});
    return;
  }
  const Step last = about_next_modes(rule.that) ? end - 1 : end;
  const std::vector<StepRange> every{{0, end}};
  for (const StepRange& range : rule.steps.empty() ? every : rule.steps)
    for (Step step = range.lower; step < std::min(range.upper, last); ++step)
      if (!act(step)) return;
}

/// The remainder that is not negative.
[[nodiscard]] constexpr WideInteger remainder_of(WideInteger value, WideInteger modulus) {
  const WideInteger rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

}  // namespace tessera
