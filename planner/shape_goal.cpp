#include "planner/shape_goal.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

namespace tessera::planner {

ShapeGoal shape_goal(const cost::Score& score, const PeakLimits& limits, std::int64_t most_shapes,
                     Size free) {
  const double per_byte = cost::peak_weight(score);
  std::ostringstream key;
  key << most_shapes << ' ' << (per_byte > 0 ? free : 0) << ' ' << std::hexfloat << per_byte;
  for (const Metrics& unit :
       {Metrics{.latency_cycles = 1}, Metrics{.energy_pj = 1}, Metrics{.dram_bytes = 1}})
    key << ' ' << cost::additive_score(score, unit);
  key << ' ' << limits.peak_bytes << ' ' << limits.peak_bandwidth;
  return {.score =
              [score, limits, per_byte, free](const Metrics& m) {
                return limits.allow(m)
                           ? cost::additive_score(score, m) +
                                 per_byte * static_cast<double>(std::max(free, m.peak_bytes))
                           : std::numeric_limits<double>::infinity();
              },
          .key = std::move(key).str(),
          .most_shapes = most_shapes};
}

}  // namespace tessera::planner
