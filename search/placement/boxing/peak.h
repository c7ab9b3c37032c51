// Exact search of the time range that carries the peak.
//
//   PeakResult peak = search_peak(instance, offsets, {.target = bound, .engine = engine});
//   if (peak.refuted) bound = target + 1;          // proved: nothing is as low as the target
//   if (peak.offsets) use(*peak.offsets);          // a placement that is lower
//
// Only the sections in which the placement exceeds the target are at fault. The jobs that live
// around them, cut to that range of time, are a problem of their own for a complete engine: if it
// has no solution within the target, neither has the whole; if it has one, its jobs are nailed
// down and the others are put around them.
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
  std::size_t max_jobs = 400;          ///< no range with more jobs is searched
  std::int64_t engine_nodes = 20'000;  ///< that the engine may take
  Budget budget{};
  engine::PlacementEngine* engine = nullptr;
};

struct PeakResult {
  bool searched = false;  ///< false: the range has too many jobs, or the engine cannot take it
  bool refuted = false;   ///< proved: no placement of the instance is within the target
  std::optional<std::vector<Offset>> offsets;  ///< lower than the placement it came from
  std::size_t jobs = 0;                        ///< in the range
};

/// require: `offsets` is a placement above the target; no job of the instance has fragments.
[[nodiscard]] PeakResult search_peak(const Instance& instance, std::span<const Offset> offsets,
                                     const PeakParams& params, Random& random);

}  // namespace tessera::search::boxing
