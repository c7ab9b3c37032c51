// A roofline picture of a plan: MACs per cycle over MACs per off-chip byte, both logarithmic.
//
//   write_output("roofline.svg", roofline_svg(plan, {.macs_per_cycle = 256, .bytes_per_cycle =
//   8}));
//
// A point is an op (dot) or a group of several ops (ring). Ops without MACs have no place. Points
// without off-chip traffic are at the right end.
#pragma once

#include <string>

#include "tessera/network_plan.h"

namespace tessera::io {

/// Limits of the machine.
struct Roofs {
  double macs_per_cycle = 1;   ///< of the fastest engine
  double bytes_per_cycle = 1;  ///< of the off-chip memory
};

/// require: the plan is feasible and has an accounting.
[[nodiscard]] std::string roofline_svg(const NetworkPlan& plan, const Roofs& roofs);

}  // namespace tessera::io
