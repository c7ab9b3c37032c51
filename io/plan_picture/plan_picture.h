// A picture of a whole plan: time across; ops, then addresses in each memory, then the bus.
//
//   write_output("plan.svg", plan_picture_svg(chart));
//
// The legend lists what is on the picture and nothing else. Boxes tell more where the pointer
// rests. However many buffers there are, the file stays within a few MB: from some number on what
// is narrower than a pixel is drawn together.
#pragma once

#include <string>

#include "io/plan_picture/plan_chart.h"

namespace tessera::io {

[[nodiscard]] std::string plan_picture_svg(const PlanChart& chart);

}  // namespace tessera::io
