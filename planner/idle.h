// Resources that a plan leaves unused, so that an architect can remove them.
//
//   plan.unused_modes = unused_modes(memories, plan.subgraphs);
//
// Private to planner/.
#pragma once

#include <string>
#include <vector>

#include "tessera/network_plan.h"

namespace tessera::planner {

/// Per memory, the names of the modes that no step of any placement uses, in the memory's order.
[[nodiscard]] std::vector<std::vector<std::string>> unused_modes(
    const std::vector<Memory>& memories, const std::vector<PlannedSubgraph>& subgraphs);

/// Per memory, the names of the banks that no buffer of any placement uses.
[[nodiscard]] std::vector<std::vector<std::string>> idle_banks(
    const std::vector<Memory>& memories, const std::vector<PlannedSubgraph>& subgraphs);

}  // namespace tessera::planner
