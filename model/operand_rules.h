// The rules of a profile, before the buffers of operands are known.
//
//   for (const RuleNode& node : operand_conditions(hardware, rule))
//     for (const BufferIndex role : buffers_of(node)) ...   // operand_roles[role]
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "tessera/hardware.h"

namespace tessera {

inline constexpr std::array<std::string_view, 3> operand_roles{"input", "output", "weights"};
[[nodiscard]] std::optional<std::size_t> operand_role(std::string_view name);

/// One condition for each role that the rule selects, or one. Its buffers are positions in
/// operand_roles.
/// ensure: throws RuleTextError if the text is wrong.
[[nodiscard]] std::vector<RuleNode> operand_conditions(const Hardware& hardware,
                                                       const OperandRule& rule);

/// The rules of a profile that are about no operand hold for problems with its memories. The others
/// need ops.
/// require: the memories of the problem are placement_memories(hardware).
void add_machine_rules(const Hardware& hardware, PlacementProblem& problem);

}  // namespace tessera
