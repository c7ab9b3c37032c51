// Low placements of buffers that fit into each other: into bytes of a tensor whose tiles are dead,
// or have not come yet.
//
//   WeaveResult low = weave(problem, {.targets = {bound}});
//   if (low.placement) use(*low.placement, low.heights);
//
// Two buffers forbid each other some differences of their offsets (model/differences.h), so a
// buffer is in nobody's way at the end of a forbidden range, or at its own lowest address: first
// fit looks at nothing else. Several orders of first fit are tried, and the best is improved by
// taking out the highest buffer with some of those in its way and putting them back in another
// order (ruin and recreate: Schrimpf, Schneider, Stamm-Wilbrandt, Dueck, 2000). Finding nothing
// proves nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/engine.h"

namespace tessera::search {

struct WeaveParams {
  Budget budget{};
  std::uint64_t seed = 0;
  std::int64_t rounds = 4'000;  ///< of ruin and recreate, per memory
  std::vector<Size> targets{};  ///< per memory: low enough; empty: nothing above the bound 0 is
};

struct WeaveResult {
  std::optional<Placement> placement;  ///< within the capacities
  std::vector<Size> heights;           ///< per memory, of `placement`
  StopReason stop = StopReason::completed;
  Stats stats;
};

/// What a problem may use.
[[nodiscard]] facts::FeatureSet weave_features();

/// require: validate(problem) is empty, weave_features() has all it uses.
[[nodiscard]] WeaveResult weave(const PlacementProblem& problem, const WeaveParams& params = {});

/// "weave": whether it fits, by that.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_weave_engine();

}  // namespace tessera::search
