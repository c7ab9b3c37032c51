#include "tiling/lower_rules.h"

#include <algorithm>

#include "model/operand_rules.h"
#include "model/rules.h"
#include "tiling/loops.h"

namespace tessera::tiling {
namespace {

bool selects_op(const OperandRule& rule, const Network& network, const Op& op) {
  if (rule.ops.empty()) return true;
  const OpNames names =
      names_of(op, loops_of(network, op, network.tensors[op.outputs.at(0)].shape));
  return std::ranges::any_of(rule.ops, [&](const std::string& name) {
    return name == to_string(op.kind) || std::ranges::find(names, name) != names.end();
  });
}

/// Appends the condition for each choice of one buffer per role.
class RuleExpansion {
 public:
  RuleExpansion(PlacementProblem& problem, const ConditionRule& rule)
      : problem_(problem), rule_(rule), roles_(buffers_of(rule.that)) {}

  /// `buffers`: of each role.
  void run(const std::vector<std::vector<BufferIndex>>& buffers) {
    choice_.assign(operand_roles.size(), 0);
    choose(buffers, 0);
  }

 private:
  void choose(const std::vector<std::vector<BufferIndex>>& buffers, std::size_t k) {
    if (k == roles_.size()) {
      auto made = remaining(rule_, choice_);
      if (made && std::ranges::find(problem_.rules, *made) == problem_.rules.end())
        problem_.rules.push_back(*std::move(made));
      return;
    }
    for (const BufferIndex b : buffers[roles_[k]]) {
      choice_[roles_[k]] = b;
      choose(buffers, k + 1);
    }
  }

  PlacementProblem& problem_;
  const ConditionRule& rule_;
  std::vector<BufferIndex> roles_;
  std::vector<BufferIndex> choice_;
};

}  // namespace

void add_operand_rules(const Hardware& hardware, const Subgraph& part, const TileSteps& steps,
                       PlacementProblem& problem, const OperandBuffers& buffers) {
  add_machine_rules(hardware, problem);
  for (const OperandRule& rule : hardware.rules)
    for (RuleNode& node : operand_conditions(hardware, rule)) {
      ConditionRule made{.name = rule.name, .that = std::move(node), .steps = {}};
      if (rule.roles.empty() && rule.ops.empty() && buffers_of(made.that).empty()) continue;
      for (std::size_t step = 0; step < part.steps(); ++step) {
        if (!selects_op(rule, *part.network, part.op(static_cast<Step>(step)))) continue;
        for (int parity = 0; parity < steps.parities; ++parity) {
          std::vector<std::vector<BufferIndex>> of_role;
          for (const std::string_view role : operand_roles)
            of_role.push_back(buffers(step, std::string(role), parity));
          const Step at = parity * steps.count + static_cast<Step>(step);
          if (about_modes(made.that)) made.steps = {{at, at + 1}};
          RuleExpansion(problem, made).run(of_role);
        }
      }
    }
}

}  // namespace tessera::tiling
