// Shared objects, a baseline: whole tensors with disjoint lifetimes share an object, and objects
// are placed one after the other.
//
//   SharedObjects best = shared_objects(problem, {});
//   if (best.placement) use(*best.placement, best.heights, best.strategies);
//
// Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference" (2020), sections
// 4.2 to 4.4: greedy by breadth, by size, and by size with positional maximums; the best of the
// three for each memory. A buffer with parts, gaps or several lives counts as a whole from its
// first step to its last. A failure proves nothing.
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

/// The features that a problem may use.
[[nodiscard]] facts::FeatureSet shared_objects_features();

/// require: validate(problem) is empty, and shared_objects_features() contains all its features.
[[nodiscard]] SharedObjects shared_objects(const PlacementProblem& problem,
                                           const Budget& budget = {});

/// The engine "shared-objects": searches for a placement by this heuristic.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_shared_objects_engine();

}  // namespace tessera::search
