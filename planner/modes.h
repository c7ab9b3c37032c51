// The fewest modes that the subgraphs of a plan can do with, at no higher score.
//
//   const FewestModes found = take_fewest_modes(network, hardware, {score, limits, ...}, runs);
//   if (found.value < before) ...                // the runs' placements were replaced
//
// Runs and tiles stay as they are: what changes is where buffers lie within a tile, and in which
// mode each step is. For a set of modes each run is placed anew on the machine without the others;
// the smallest set that all runs can do with is the answer. A run that has no place then needs one
// of the modes left out, and that is proved. One that has a place which costs more (for more
// switches of modes, or for another memory) proves nothing. Private to planner/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/score.h"
#include "model/budget.h"
#include "planner/peaks.h"
#include "tessera/effort.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

struct ModesParams {
  cost::Score score;
  PeakLimits limits{};
  std::int64_t nodes_per_question = nodes_per_plan_question;
  std::uint64_t seed = 0;
  int threads = 1;
  Budget budget{};
};

/// Of a plan that is made with these parameters.
[[nodiscard]] ModesParams modes_params(const PlanParams& params, const cost::Score& score,
                                       const PeakLimits& limits, const Budget& budget);

/// All modes of a memory; nothing where its banks have roles of their own that make too many.
[[nodiscard]] std::optional<std::vector<Mode>> modes_of(const Memory& memory);

/// Distinct modes in use, over all memories and runs.
[[nodiscard]] std::int64_t modes_in_use(const std::vector<PlannedSubgraph>& runs);

/// As an entry of NetworkPlan::objectives. The runs' placements, and what follows from those, are
/// replaced where that takes fewer modes.
/// require: the runs are a right plan of the network on the hardware.
/// ensure: they still are, and score no more; no placements of these tiles that score no more use
/// fewer modes than the bound.
[[nodiscard]] ObjectiveValue take_fewest_modes(const Network& network, const Hardware& hardware,
                                               const ModesParams& params,
                                               std::vector<PlannedSubgraph>& runs);

/// What the bound ranges over, in words.
inline constexpr const char* modes_range =
    "all placements of these subgraphs' tiles that score no more and peak no higher";

}  // namespace tessera::planner
