// A picture of a whole plan over time: ops, addresses in each memory, bus traffic.
//
//   write_output("plan.svg", plan_picture_svg(chart));
//
// The legend lists exactly what the picture contains. Tooltips give details of boxes. The file
// stays within a few MB for any number of buffers: above a limit, items narrower than a pixel are
// merged.
#pragma once

#include <string>

#include "io/plan_picture/plan_chart.h"

namespace tessera::io {

[[nodiscard]] std::string plan_picture_svg(const PlanChart& chart);

}  // namespace tessera::io
