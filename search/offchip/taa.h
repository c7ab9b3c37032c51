// Tile-aware allocation as published, to be compared with: tensors one by one in three orders, each
// moved up by what its tiles overlap with those of the tensors that stand, until nothing does.
//
//   TaaResult taa = tile_aware_allocation(problem, {});
//   if (taa.placement) use(*taa.placement, taa.heights);
//
// "Tile-Aware Memory Allocation" (IEEE Access): TensorAllocate with its three sorts (size,
// lifetime, number of peers), CollisionSize as a linear merge over the runs of two tiles, spans
// first. A tile is a part of a buffer; a buffer without parts is one tile. Finding nothing proves
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

/// Bytes by which the first two runs that meet overlap; 0 where none do.
/// require: both lists are sorted, and no two of one list touch.
[[nodiscard]] Size collision_size(std::span<const AddressRange> a, Offset at_a,
                                  std::span<const AddressRange> b, Offset at_b);

/// What a problem may use.
[[nodiscard]] facts::FeatureSet taa_features();

/// require: validate(problem) is empty, taa_features() has all it uses.
[[nodiscard]] TaaResult tile_aware_allocation(const PlacementProblem& problem,
                                              const Budget& budget = {});

/// "taa": whether it fits, by that.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_taa_engine();

}  // namespace tessera::search
