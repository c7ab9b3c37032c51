// Shared objects, to be compared with: whole tensors share an object where their lives do not meet,
// and the objects lie one after the other.
//
//   SharedObjects best = shared_objects(problem, {});
//   if (best.placement) use(*best.placement, best.heights, best.strategies);
//
// Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference" (2020), sections
// 4.2 to 4.4: greedily by breadth, by size, and by size with positional maximums; the best of the
// three for each memory. Whoever has parts, gaps or several lives counts as a whole from the first
// step to the last. Finding nothing proves nothing.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace tessera::search {

struct SharedObjects {
  std::optional<Placement> placement;        ///< within the capacities
  std::vector<Size> heights;                 ///< per memory, of `placement`
  std::vector<std::string_view> strategies;  ///< per memory: "by breadth", ...
  StopReason stop = StopReason::completed;
};

/// What a problem may use.
[[nodiscard]] facts::FeatureSet shared_objects_features();

/// require: validate(problem) is empty, shared_objects_features() has all it uses.
[[nodiscard]] SharedObjects shared_objects(const PlacementProblem& problem,
                                           const Budget& budget = {});

/// "shared-objects": whether it fits, by that.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_shared_objects_engine();

}  // namespace tessera::search
