// Reads `rules:` of problems and of profiles.
#pragma once

#include <vector>

#include "io/collected.h"
#include "io/problem_yaml.h"
#include "io/tree.h"
#include "tessera/hardware.h"

namespace tessera::io {

/// Appends the rules to `read`, and the line of each. Errors go to `wrong`.
/// require: memories and buffers of the problem are read.
void read_problem_rules(const Sources& sources, const Node& node, ProblemYaml& read,
                        Collected& wrong);

/// One rule of a profile.
[[nodiscard]] OperandRule read_operand_rule(const Sources& sources, const Node& node);

}  // namespace tessera::io
