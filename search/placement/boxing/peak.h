// Exact search of the time range that contains the peak.
//
//   PeakResult peak = search_peak(instance, offsets, {.target = bound, .engine = engine});
//   if (peak.refuted) bound = target + 1;          // proved: nothing is as low as the target
//   if (peak.offsets) use(*peak.offsets);          // a placement that is lower
//
// Only the sections in which the placement exceeds the target need changes. The jobs live around
// them, cut to that time range, form a problem for a complete engine. If it has no solution within
// the target, the whole problem has none. If it has one, its jobs are fixed and the others are
// placed around them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "model/random.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

struct PeakParams {
  Size target = 0;
  std::size_t max_jobs = 400;          ///< ranges with more jobs are not searched
  std::int64_t engine_nodes = 20'000;  ///< node limit of the engine
  Budget budget{};
  engine::PlacementEngine* engine = nullptr;
};

struct PeakResult {
  bool searched = false;  ///< false: too many jobs in the range, or unsupported by the engine
  bool refuted = false;   ///< proved: no placement of the instance is within the target
  std::optional<std::vector<Offset>> offsets;  ///< lower than the given placement
  std::size_t jobs = 0;                        ///< number of jobs in the range
};

/// require: `offsets` is a placement above the target; no job of the instance has fragments.
[[nodiscard]] PeakResult search_peak(const Instance& instance, std::span<const Offset> offsets,
                                     const PeakParams& params, Random& random);

}  // namespace tessera::search::boxing
