// Is there too much alive at some step?
//
//   LoadTest load(problem);
//   if (load.excess(sizes) > 0) refuted();             // for these sizes of the problem's buffers
//
// What lives at one step needs disjoint addresses in the memories it may go to. Two sound counts:
// each memory against the buffers tied to it, all memories against all buffers. Buffers start at
// multiples of the alignment, so each is rounded up to it, unless part of one is left out of its
// step by a gap with a window: such a part begins anywhere. Buffers that may overlap others are not
// counted at all.
#pragma once

#include <vector>

#include "tessera/problem.h"

namespace tessera::facts {

class LoadTest {
 public:
  /// Of the problem only its sizes may be replaced later on.
  explicit LoadTest(const PlacementProblem& problem);

  /// Bytes over the capacity at the fullest step; 0 where every step fits.
  [[nodiscard]] Size excess(const std::vector<Size>& sizes) { return worst(sizes, false); }
  /// Bytes over the capacity at the first step that is over; 0 where every step fits.
  [[nodiscard]] Size first_excess(const std::vector<Size>& sizes) { return worst(sizes, true); }

 private:
  /// A buffer, or, at steps where it occupies a window or some parts only, so many bytes of it.
  struct Part {
    BufferIndex buffer = 0;
    Size window = 0;  ///< 0: all of it
  };
  using PartIndex = std::size_t;
  /// From one set of parts alive together to the next, in the order of steps; every set that no
  /// other contains is among them.
  struct Change {
    std::vector<PartIndex> born;
    std::vector<PartIndex> dead;
  };
  void gather_parts(const PlacementProblem& problem);
  void gather_rooms(const PlacementProblem& problem);
  Size worst(const std::vector<Size>& sizes, bool any);

  std::vector<Part> parts_;
  std::vector<Change> changes_;
  std::vector<MemoryIndex> tied_to_;  ///< per part: the only memory allowed, or memories.size()
  std::vector<Size> granules_;        ///< per memory: sizes round up to these
  std::vector<Size> room_;            ///< per memory, for rounded sizes
  Size common_granule_ = 0;           ///< divides all of them
  Size all_room_ = 0;
  // Working memory.
  std::vector<Size> rounded_;
  std::vector<Size> tied_size_;
  std::vector<Size> tied_load_;  ///< one more than memories
};

}  // namespace tessera::facts
