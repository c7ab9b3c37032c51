// What the engine of an op reads and writes off the chip itself.
//
//   for (const DirectAccess& access : direct_accesses(part, hardware, Direct::inputs)) ...
//
// An engine may reach the memory off the chip that activations lie in (Engine::reach), as Arm's
// Ethos-U65 does. An op that runs alone may then leave out the DMA: what it reads or makes has no
// buffer on the chip. Weights always come by DMA, and so does what the chip keeps for later runs.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/hardware.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

struct DirectAccess {
  std::size_t tensor = 0;  ///< local
  bool load = true;        ///< else a store
  friend bool operator==(const DirectAccess&, const DirectAccess&) = default;
};

/// By tensor. Nothing of a run of several ops, or whose engine does not reach that memory.
[[nodiscard]] std::vector<DirectAccess> direct_accesses(const Subgraph& part,
                                                        const Hardware& hardware, Direct direct);

/// What of it is so, of this run.
[[nodiscard]] Direct direct_of(const Subgraph& part, const Hardware& hardware, Direct direct);

/// Those of TilingOptions::direct that differ for the run, each by what it says of it, the first
/// of them first. At least one; `none` alone where it makes no difference.
[[nodiscard]] std::vector<Direct> direct_choices(const Subgraph& part, const Hardware& hardware);

}  // namespace tessera::tiling
