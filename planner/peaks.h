// Maxima given by --limit that no subgraph of a plan may exceed.
//
//   const PeakLimits limits = peak_limits_of(params);
//   Candidates candidates(network, machine_within(hardware, limits), ...);   // smaller tiles
//   if (limits.allow(subgraph.metrics)) ...
//
// Private to planner/.
#pragma once

#include <limits>

#include "tessera/hardware.h"
#include "tessera/network_plan.h"
#include "tessera/plan.h"

namespace tessera::planner {

struct PeakLimits {
  double peak_bytes = std::numeric_limits<double>::infinity();
  double peak_bandwidth = std::numeric_limits<double>::infinity();
  [[nodiscard]] bool allow(const Metrics& m) const {
    return static_cast<double>(m.peak_bytes) <= peak_bytes && m.peak_bandwidth <= peak_bandwidth;
  }
  [[nodiscard]] bool any() const;
};

/// Total bytes of all on-chip memories, an upper bound of every peak.
[[nodiscard]] Size on_chip_capacity(const Hardware& hardware);

/// Throws BadInput for limits without a maximum or without any memory left.
[[nodiscard]] PeakLimits peak_limits_of(const PlanParams& params);

/// The machine with on-chip memory reduced to the peak limit: every tile that fits there keeps the
/// limit. Of several memories the largest are reduced, to one size.
[[nodiscard]] Hardware machine_within(const Hardware& hardware, const PeakLimits& limits);

/// True if "no tile fits machine_within()" proves that no tile keeps the limits. Several memories
/// may be divided differently, and other tiles than the fewest may need less bandwidth.
[[nodiscard]] bool decides(const Hardware& hardware, const PeakLimits& limits);

}  // namespace tessera::planner
