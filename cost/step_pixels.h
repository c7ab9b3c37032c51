// Rows and columns of its input that an array reads step by step.
//
//   StepPixels pixels{loops, nest, unroll};
//   pixels.read();       // of one input channel, in all steps over rows, columns and taps
//
// A step reads each pixel once, however many of its outputs and taps meet it.
#pragma once

#include "cost/loop_parts.h"
#include "tiling/loops.h"

namespace tessera::cost {

struct StepPixels {
  const tiling::OpLoops& loops;
  const tiling::LoopNest& nest;  ///< as the mapping sees it
  const Counts& unroll;
  bool taps_together = false;  ///< of all rows and columns of the kernel

  /// Rows (axis 0) or columns from the first to the last that so many outputs meet.
  [[nodiscard]] double span(std::int64_t made, std::int64_t taps, std::size_t axis) const;
  [[nodiscard]] double read() const;
  /// Of the pixels that outputs meet tap by tap, the share that is read at least, however the
  /// output is cut. require: no transposed convolution
  [[nodiscard]] double least_share() const;
};

}  // namespace tessera::cost
