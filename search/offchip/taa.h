// Tile-aware allocation as published, a baseline: places tensors one by one in three orders. Each
// is moved up by the overlap of its tiles with those of placed tensors, until there is none.
//
//   TaaResult taa = tile_aware_allocation(problem, {});
//   if (taa.placement) use(*taa.placement, taa.heights);
//
// "Tile-Aware Memory Allocation" (IEEE Access): TensorAllocate with its three sorts (size,
// lifetime, number of peers), CollisionSize as a linear merge over the runs of two tiles, spans
// first. A tile is a part of a buffer; a buffer without parts is one tile. A failure proves
// nothing.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"

namespace tessera::search {

struct TaaResult {
  std::optional<Placement> placement;  ///< within the capacities
  std::vector<Size> heights;           ///< per memory, of `placement`
  StopReason stop = StopReason::completed;
};

/// The overlap in bytes of the first two runs that overlap; 0 if none do.
/// require: both lists are sorted, and no two ranges of one list touch.
[[nodiscard]] Size collision_size(std::span<const AddressRange> a, Offset at_a,
                                  std::span<const AddressRange> b, Offset at_b);

/// The features that a problem may use.
[[nodiscard]] facts::FeatureSet taa_features();

/// require: validate(problem) is empty, and taa_features() contains all its features.
[[nodiscard]] TaaResult tile_aware_allocation(const PlacementProblem& problem,
                                              const Budget& budget = {});

/// The engine "taa": searches for a placement by this heuristic.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_taa_engine();

}  // namespace tessera::search
