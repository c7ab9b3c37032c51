// Load test: does the sum of live bytes exceed the capacity at some step?
//
//   LoadTest load(problem);
//   if (load.excess(sizes) > 0) refuted();             // for these sizes of the problem's buffers
//
// Buffers that are live at one step need disjoint addresses in the memories they may use. There are
// two sound tests: each memory against the buffers restricted to it, and all memories against all
// buffers. Offsets are multiples of the alignment, so sizes are rounded up to it. Exception: a
// buffer that occupies only a gap's window at a step is not rounded, because a window may begin
// anywhere. Buffers that may overlap others are not counted.
#pragma once

#include <vector>

#include "tessera/problem.h"

namespace tessera::facts {

class LoadTest {
 public:
  /// Later only the sizes of the problem may change.
  explicit LoadTest(const PlacementProblem& problem);

  /// Bytes over the capacity at the fullest step; 0 if every step fits.
  [[nodiscard]] Size excess(const std::vector<Size>& sizes) { return worst(sizes, false); }
  /// Bytes over the capacity at the first step that exceeds it; 0 if every step fits.
  [[nodiscard]] Size first_excess(const std::vector<Size>& sizes) { return worst(sizes, true); }

 private:
  /// A buffer, or the bytes it occupies at steps with a window or with some parts only.
  struct Part {
    BufferIndex buffer = 0;
    Size window = 0;  ///< 0: the whole buffer
  };
  using PartIndex = std::size_t;
  /// The changes from one set of live parts to the next, in the order of steps. Every maximal set
  /// is among them.
  struct Change {
    std::vector<PartIndex> born;
    std::vector<PartIndex> dead;
  };
  void gather_parts(const PlacementProblem& problem);
  void gather_capacities(const PlacementProblem& problem);
  Size worst(const std::vector<Size>& sizes, bool any);

  std::vector<Part> parts_;
  std::vector<Change> changes_;
  std::vector<MemoryIndex> tied_to_;  ///< per part: the only permitted memory, or memories.size()
  std::vector<Size> granules_;        ///< per memory: sizes are rounded up to these
  std::vector<Size> capacity_;        ///< per memory, for rounded sizes
  Size common_granule_ = 0;           ///< divides all granules
  Size total_capacity_ = 0;
  // Working memory.
  std::vector<Size> rounded_;
  std::vector<Size> tied_size_;
  std::vector<Size> tied_load_;  ///< one entry per memory, and one more
};

}  // namespace tessera::facts
