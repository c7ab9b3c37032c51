// The fewest modes that suffice for the groups of a plan without a higher score.
//
//   const FewestModes found = take_fewest_modes(network, hardware, {score, limits, ...}, runs);
//   if (found.value < before) ...                // the placements were replaced
//
// Groups and tiles are fixed. Free are the buffer addresses within a tile and the mode of each
// step. For a set of modes, each group is placed on the machine without the other modes. The answer
// is the smallest set that suffices for all groups. A group without a placement proves that one of
// the omitted modes is necessary. A placement with a higher cost (more mode switches, or another
// memory) proves nothing. Private to planner/.
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

/// Parameters for a plan made with these PlanParams.
[[nodiscard]] ModesParams modes_params(const PlanParams& params, const cost::Score& score,
                                       const PeakLimits& limits, const Budget& budget);

/// All modes of a memory; nothing if banks with individual roles make too many.
[[nodiscard]] std::optional<std::vector<Mode>> modes_of(const Memory& memory);

/// Distinct modes in use, over all memories and runs.
[[nodiscard]] std::int64_t modes_in_use(const std::vector<PlannedSubgraph>& runs);

/// Returns an entry of NetworkPlan::objectives. Replaces the placements and the metrics that depend
/// on them if that uses fewer modes.
/// require: the runs are a correct plan of the network on the hardware.
/// ensure: they still are, with no higher score; no placements of these tiles with at most that
/// score use fewer modes than the bound.
[[nodiscard]] ObjectiveValue take_fewest_modes(const Network& network, const Hardware& hardware,
                                               const ModesParams& params,
                                               std::vector<PlannedSubgraph>& runs);

/// The scope of the bound, for reports.
inline constexpr const char* modes_range =
    "all placements of these subgraphs' tiles that score no more and peak no higher";

}  // namespace tessera::planner
