// What --limit asks for: maxima that no subgraph of a plan may exceed.
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

/// Bytes of all memories on the chip: no peak is above it.
[[nodiscard]] Size on_chip_capacity(const Hardware& hardware);

/// Throws BadInput for limits that name no maximum or leave no memory at all.
[[nodiscard]] PeakLimits peak_limits_of(const PlanParams& params);

/// The machine with no more memory on the chip than the limit on the peak allows: every tile that
/// fits there keeps the limit. Of several memories the largest are cut, to one size.
[[nodiscard]] Hardware machine_within(const Hardware& hardware, const PeakLimits& limits);

/// Where no tile fits machine_within(), is there none that keeps the limits? Another split between
/// several memories might do, and other tiles than the fewest might take less bandwidth.
[[nodiscard]] bool decides(const Hardware& hardware, const PeakLimits& limits);

}  // namespace tessera::planner
