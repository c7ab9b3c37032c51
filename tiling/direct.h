// Operands that an op's engine reads or writes directly in off-chip memory.
//
//   for (const DirectAccess& access : direct_accesses(part, hardware, Direct::inputs)) ...
//
// An engine may reach the off-chip memory of activations (Engine::reach), as Arm's Ethos-U65 does.
// An op that is alone in its group may then bypass the DMA: the operand has no on-chip buffer.
// Weights always come by DMA, and so do resident tensors.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/hardware.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

struct DirectAccess {
  std::size_t tensor = 0;  ///< local index
  bool load = true;        ///< else a store
  friend bool operator==(const DirectAccess&, const DirectAccess&) = default;
};

/// By tensor. Empty for a group of several ops, and if the engine does not reach the memory.
[[nodiscard]] std::vector<DirectAccess> direct_accesses(const Subgraph& part,
                                                        const Hardware& hardware, Direct direct);

/// The part of `direct` that has an effect for this group.
[[nodiscard]] Direct direct_of(const Subgraph& part, const Hardware& hardware, Direct direct);

/// The values of TilingOptions::direct with different effects for the group, each reduced to its
/// effect, in order. At least one; only `none` if the option has no effect.
[[nodiscard]] std::vector<Direct> direct_choices(const Subgraph& part, const Hardware& hardware);

}  // namespace tessera::tiling
