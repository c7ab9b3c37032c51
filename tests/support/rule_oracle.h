// A second evaluator of rules, written from the text of the reference page: it enumerates
// addresses.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::testing {

/// Do the places satisfy every rule without modes?
[[nodiscard]] bool keeps_rules_of_places(const PlacementProblem& problem,
                                         const std::vector<BufferPlace>& places);

/// Do the places satisfy the rules without modes whose buffers are all placed, `last` among them?
[[nodiscard]] bool keeps_rules_so_far(const PlacementProblem& problem,
                                      const std::vector<BufferPlace>& places,
                                      const std::vector<bool>& placed, BufferIndex last);

/// Do the places and modes satisfy every rule?  require: a mode per step of each memory with modes.
[[nodiscard]] bool keeps_rules(const PlacementProblem& problem, const Placement& placement);

/// The buffers that rules about modes name: the modes depend on their places, too.
[[nodiscard]] std::set<BufferIndex> buffers_of_mode_rules(const PlacementProblem& problem);

/// Modes of every step that satisfy the rules, the fewest different ones; nothing if there are
/// none. `allowed`: per memory and step, the modes that other rules allow; no steps without modes.
[[nodiscard]] std::optional<std::vector<std::vector<std::string>>> fewest_modes_by_rules(
    const PlacementProblem& problem, const std::vector<BufferPlace>& places,
    const std::vector<std::vector<std::vector<std::string>>>& allowed, Step steps);

}  // namespace tessera::testing
