// A picture of a placement: time across, addresses up, one panel per memory.
//
//   write_output("plot.svg", placement_svg(problem, *result.placement, {.title = "toy"}));
//
// Shows banks, reserved ranges and the modes of the steps. A buffer with gaps or several live
// intervals is drawn as its occupied areas, joined by a thin line. Labels are drawn only if they
// fit. Everything is deterministic, and ids are escaped.
#pragma once

#include <string>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::io {

struct SvgOptions {
  std::string title;  ///< empty: the problem's name
  int width = 1200;   ///< of the whole picture, in pixels
  int height = 0;     ///< of one panel; 0: chosen from the number of memories
};

/// require: validate(problem) is empty; one place per buffer. The placement may be invalid;
/// overlaps are then visible.
[[nodiscard]] std::string placement_svg(const PlacementProblem& problem, const Placement& placement,
                                        const SvgOptions& options = {});

}  // namespace tessera::io
