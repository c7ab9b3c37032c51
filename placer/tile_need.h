// What is missing where no tile of some ops fits. Private to placer/ and planner/.
//
//   const MissingBytes missing = missing_bytes(part, hardware, variants, budget);
//   if (missing.bytes > 0) say("the smallest tile needs " + to_string(missing));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/budget.h"
#include "tessera/hardware.h"
#include "tessera/tile.h"
#include "tiling/subgraph.h"

namespace tessera::placer {

/// Of the variant that lacks least.
struct MissingBytes {
  /// What the smallest tile (one element along every axis that may be cut) needs beyond the memory
  /// there is, so that all tiles of its grid fit: also where it is alignment that needs them, or a
  /// tile in the middle with its halo. 0: it is no matter of bytes, but no arrangement keeps every
  /// rule about banks, modes or several memories.
  Size bytes = 0;
  /// Else it may be more: with banks or several memories only the load is counted.
  bool exact = true;
  std::size_t variant = 0;
  /// What ended the budget before every tile was looked at: 0 bytes then say nothing.
  std::optional<StopReason> stopped{};
};

/// require: no tile fits in any of the variants, which are not none. Where the budget ends first,
/// it is what the load of the tiles says that were looked at.
[[nodiscard]] MissingBytes missing_bytes(const tiling::Subgraph& part, const Hardware& hardware,
                                         const std::vector<TileVariant>& variants,
                                         const Budget& budget);

/// "1 byte more", "at least 16 bytes more".
[[nodiscard]] std::string to_string(const MissingBytes& missing);

}  // namespace tessera::placer
