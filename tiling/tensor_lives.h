// When which bytes of an off-chip tensor are live: the parts of its buffer.
//
//   std::vector<BufferPart> parts = lives_of({1, 4, 128, 128}, 1, accesses, {});
//
// A tile writes a box of a tensor; tiles of later groups read boxes of it, which may overlap. A
// byte is live from the step that writes it to the last step that reads it. Adjacent bytes with
// equal lifetimes form a part. "Tile-Aware Memory Allocation" (IEEE Access) calls this the lifetime
// of a tile.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/problem.h"
#include "tiling/box.h"

namespace tessera::tiling {

/// A box and the step that reads or writes it.
struct BoxAccess {
  Step step = 0;
  Box box;
};

/// Lifetimes that begin before the first or end after the last step of the schedule.
struct OutsideLife {
  std::optional<Step> from;  ///< everything is live from this step until its last read
  std::optional<Step> to;    ///< everything is live to this step from its write
};

/// With more cells than this (boxes that no access cuts), the tensor is one part.
inline constexpr std::size_t most_cells = 100'000;

/// Nothing if the tensor has to be taken as a whole: too many cells, or no access.
/// require: every box is inside the tensor, elements have `element` bytes, accesses are sorted by
/// step.
[[nodiscard]] std::vector<BufferPart> lives_of(const std::vector<Dim>& shape, Size element,
                                               std::span<const BoxAccess> accesses,
                                               const OutsideLife& outside);

}  // namespace tessera::tiling
