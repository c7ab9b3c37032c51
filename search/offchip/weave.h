// Low placements of interleaving buffers, which use bytes of a tensor before its tiles are live or
// after they are dead.
//
//   WeaveResult low = weave(problem, {.targets = {bound}});
//   if (low.placement) use(*low.placement, low.heights);
//
// Two buffers forbid each other some differences of their offsets (model/differences.h). Therefore
// the only useful offsets of a buffer are its lowest address and the ends of forbidden ranges, and
// first fit only tries these. Several orders of first fit are tried. The best is improved by
// removing the highest buffer and some of its rivals, and placing them again in another order (ruin
// and recreate: Schrimpf, Schneider, Stamm-Wilbrandt, Dueck, 2000). A failure proves nothing.
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
  std::vector<Size> targets{};  ///< per memory, a sufficient height; empty: only a proved bound
};

struct WeaveResult {
  std::optional<Placement> placement;  ///< within the capacities
  std::vector<Size> heights;           ///< per memory, of `placement`
  StopReason stop = StopReason::completed;
  Stats stats;
};

/// The features that a problem may use.
[[nodiscard]] facts::FeatureSet weave_features();

/// require: validate(problem) is empty, and weave_features() contains all its features.
[[nodiscard]] WeaveResult weave(const PlacementProblem& problem, const WeaveParams& params = {});

/// The engine "weave": searches for a placement by this heuristic.
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_weave_engine();

}  // namespace tessera::search
