// When which bytes of a tensor off the chip are used: the parts of its buffer.
//
//   std::vector<BufferPart> parts = lives_of({1, 4, 128, 128}, 1, accesses, {});
//
// A tile writes a box of a tensor, tiles of later runs read boxes of it, which may overlap. A byte
// lives from the step that writes it to the last that reads it; bytes of one life that lie side by
// side are one part. "Tile-Aware Memory Allocation" (IEEE Access) calls that the lifetime of a
// tile.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/problem.h"
#include "tiling/box.h"

namespace tessera::tiling {

/// A box that is read or written at a step.
struct BoxAccess {
  Step step = 0;
  Box box;
};

/// Whoever is there before anything runs, or is wanted after everything has.
struct OutsideLife {
  std::optional<Step> from;  ///< all of it lives from here on, until it is read for the last time
  std::optional<Step> to;    ///< all of it lives to here, from when it is written
};

/// More cells than this (boxes that no access cuts) are one part.
inline constexpr std::size_t most_cells = 100'000;

/// Nothing where the tensor is better taken as a whole: too many cells, or nobody touches it.
/// require: every box is one of the tensor's, `element` bytes each; accesses by step.
[[nodiscard]] std::vector<BufferPart> lives_of(const std::vector<Dim>& shape, Size element,
                                               std::span<const BoxAccess> accesses,
                                               const OutsideLife& outside);

}  // namespace tessera::tiling
