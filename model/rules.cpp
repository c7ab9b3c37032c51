#include "model/rules.h"

#include "model/relations.h"

namespace tessera {

RuleNode joined(RuleOp op, RuleNode a, RuleNode b) {
  RuleNode node{.op = op};
  node.of.push_back(std::move(a));
  node.of.push_back(std::move(b));
  return node;
}

RuleNode negated(RuleNode a) {
  RuleNode node{.op = RuleOp::no};
  node.of.push_back(std::move(a));
  return node;
}

bool varies(const RuleNode& term) {
  return term.op == RuleOp::offset || term.op == RuleOp::bank ||
         std::ranges::any_of(term.of, varies);
}

bool about_modes(const RuleNode& node) {
  return node.op == RuleOp::in_mode || std::ranges::any_of(node.of, about_modes);
}

bool about_next_modes(const RuleNode& node) {
  return (node.op == RuleOp::in_mode && node.next) ||
         std::ranges::any_of(node.of, about_next_modes);
}

namespace {

bool names_any(const RuleNode& node, RuleOp op) {
  return node.op == op ||
         std::ranges::any_of(node.of, [op](const RuleNode& each) { return names_any(each, op); });
}

/// No bank under a negation: a smaller buffer touches no more banks.
bool needs_no_bank(const RuleNode& node, bool positive) {
  if (is_comparison(node.op)) return positive || !names_any(node, RuleOp::bank);
  return std::ranges::all_of(node.of, [&](const RuleNode& each) {
    return needs_no_bank(each, node.op == RuleOp::no ? !positive : positive);
  });
}

}  // namespace

bool holds_for_smaller(const RuleNode& node) {
  return !names_any(node, RuleOp::size) && needs_no_bank(node, true);
}

std::vector<BufferIndex> buffers_of(const RuleNode& node) {
  std::vector<BufferIndex> found;
  for_each_node(node, [&](const RuleNode& each) {
    if (names_buffer(each.op)) found.push_back(each.buffer);
  });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::optional<ConditionRule> remaining(const ConditionRule& rule,
                                       const std::vector<BufferIndex>& index) {
  ConditionRule left = rule;
  bool complete = true;
  for_each_node(left.that, [&](RuleNode& each) {
    if (!names_buffer(each.op)) return;
    each.buffer = index[each.buffer];
    complete = complete && each.buffer != gone;
  });
  if (!complete) return std::nullopt;
  return left;
}

}  // namespace tessera
