// Tile-aware allocation as published, a baseline: places tensors one by one in three orders. Each
// is moved up past the runs of placed tensors that its tiles overlap, until there is no overlap.
//
//   TaaResult taa = tile_aware_allocation(problem, {});
//   if (taa.placement) use(*taa.placement, taa.heights);
//
// Kvochko et al., "Off-Chip Memory Allocation for Neural Processing Units", IEEE Access 12, 2024:
// TensorAllocate with its three sorts (size, lifetime, number of peers), CollisionSize as a linear
// merge over the runs of two tiles, spans first. A tile is a part of a buffer; a buffer without
// parts is one tile. A failure proves nothing.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"

namespace tessera::search {

/// How far one step moves a tensor up whose run overlaps a placed run.
enum class TaaStep {
  past,     ///< its run begins where the placed run ends (Algorithm 2 of the paper)
  overlap,  ///< by the bytes that both runs share; it may need more steps and stop in a gap
};

struct TaaParams {
  Budget budget{};
  TaaStep step = TaaStep::past;
};

struct TaaResult {
  std::optional<Placement> placement;  ///< within the capacities
  std::vector<Size> heights;           ///< per memory, of `placement`
  StopReason stop = StopReason::completed;
};

/// The step for the first two runs that overlap; 0 if none do.
/// require: both lists are sorted, and no two ranges of one list touch.
[[nodiscard]] Size collision_size(std::span<const AddressRange> placed, Offset at_placed,
                                  std::span<const AddressRange> moved, Offset at_moved,
                                  TaaStep step);

/// The features that a problem may use.
[[nodiscard]] facts::FeatureSet taa_features();

/// require: validate(problem) is empty, and taa_features() contains all its features.
[[nodiscard]] TaaResult tile_aware_allocation(const PlacementProblem& problem,
                                              const TaaParams& params = {});

/// The engine "taa": searches for a placement by this heuristic.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_taa_engine(
    TaaStep step = TaaStep::past);

}  // namespace tessera::search
