// A second evaluator of rules, written from the text of the reference page: it enumerates
// addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::testing {

/// Do the places satisfy a condition that is not about modes? Nothing if buffers decide that are
/// not placed.
[[nodiscard]] std::optional<bool> keeps_rule(const PlacementProblem& problem, const RuleNode& node,
                                             const std::vector<BufferPlace>& places,
                                             const std::vector<bool>& placed);

/// Do the places and modes satisfy every rule?  require: a mode per step of each memory with modes.
[[nodiscard]] bool keeps_rules(const PlacementProblem& problem, const Placement& placement);

/// Of each rule: the buffers that it names, and whether it is about modes, which then depend on
/// their places.
[[nodiscard]] std::vector<std::pair<std::set<BufferIndex>, bool>> buffers_of_rules(
    const PlacementProblem& problem);

/// Which modes are wanted among those that satisfy all rules.
enum class ModeWish : std::uint8_t { any, fewest, least_switches };

/// Modes of every step that satisfy the rules whose buffers are all placed; nothing if there are
/// none. `allowed`: per memory and step, the modes that other rules allow; no steps without modes.
/// Throws std::length_error if there are too many combinations.
[[nodiscard]] std::optional<std::vector<std::vector<std::string>>> modes_by_rules(
    const PlacementProblem& problem, const std::vector<BufferPlace>& places,
    const std::vector<bool>& placed,
    const std::vector<std::vector<std::vector<std::string>>>& allowed, ModeWish wish);

}  // namespace tessera::testing
