// Input rows and columns that an array reads step by step.
//
//   StepPixels pixels{loops, nest, unroll};
//   pixels.read();       // of one input channel, in all steps over rows, columns and taps
//
// A step reads each pixel once, even if several outputs and taps use it.
#pragma once

#include "cost/loop_parts.h"
#include "tiling/loops.h"

namespace tessera::cost {

struct StepPixels {
  const tiling::OpLoops& loops;
  const tiling::LoopNest& nest;  ///< as the mapping defines it
  const Counts& unroll;
  bool taps_together = false;  ///< a step covers all rows and columns of the kernel

  /// Rows (axis 0) or columns from the first to the last pixel that these outputs use.
  [[nodiscard]] double span(std::int64_t made, std::int64_t taps, std::size_t axis) const;
  [[nodiscard]] double read() const;
  /// Lower bound on the share of the tap-by-tap pixels that is read, for any split of the output.
  /// require: no transposed convolution
  [[nodiscard]] double least_share() const;
};

}  // namespace tessera::cost
