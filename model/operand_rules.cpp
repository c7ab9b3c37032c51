#include "model/operand_rules.h"

#include <algorithm>
#include <utility>

#include "model/rule_text.h"
#include "model/rules.h"

namespace tessera {

std::optional<std::size_t> operand_role(std::string_view name) {
  const auto found = std::ranges::find(operand_roles, name);
  if (found == operand_roles.end()) return std::nullopt;
  return static_cast<std::size_t>(found - operand_roles.begin());
}

std::vector<RuleNode> operand_conditions(const Hardware& hardware, const OperandRule& rule) {
  const std::vector<Memory> memories = placement_memories(hardware);
  RuleNames names{.memories = memories, .buffer = operand_role, .noun = "role"};
  names.known.assign(operand_roles.begin(), operand_roles.end());
  if (rule.roles.empty()) return {parse_rule(rule.that, names)};
  std::vector<RuleNode> all;
  for (const std::string& role : rule.roles) {
    names.selected = operand_role(role);
    all.push_back(parse_rule(rule.that, names));
  }
  return all;
}

void add_machine_rules(const Hardware& hardware, PlacementProblem& problem) {
  for (const OperandRule& rule : hardware.rules) {
    if (!rule.roles.empty() || !rule.ops.empty()) continue;
    for (RuleNode& node : operand_conditions(hardware, rule))
      if (buffers_of(node).empty())
        problem.rules.push_back({.name = rule.name, .that = std::move(node), .steps = {}});
  }
}

}  // namespace tessera
