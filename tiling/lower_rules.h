// The rules of a profile for the operands of the ops of a tile.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tessera/hardware.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

/// The steps of a tile, and how many tiles are in flight.
struct TileSteps {
  Step count = 0;
  int parities = 1;
};

/// The buffers of the operands with a role, of the op of a step, in the tile of a parity.
using OperandBuffers =
    std::function<std::vector<BufferIndex>(std::size_t step, const std::string& role, int parity)>;

/// Appends the rules to the problem of the tile. A rule with roles or ops holds for every choice of
/// one buffer per role, and if it is about modes, at the steps of its ops.
void add_operand_rules(const Hardware& hardware, const Subgraph& part, const TileSteps& steps,
                       PlacementProblem& problem, const OperandBuffers& buffers);

}  // namespace tessera::tiling
