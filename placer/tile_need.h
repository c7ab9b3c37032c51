// Reports the missing bytes if no tile of some ops fits. Private to placer/ and planner/.
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

/// Of the variant with the fewest missing bytes.
struct MissingBytes {
  /// Bytes that the smallest tile (one element along every axis that may be cut) needs beyond the
  /// capacity, so that all tiles of its grid fit. Includes alignment, and the halo of tiles in the
  /// middle. 0: bytes are not the problem; no placement satisfies the rules about banks, modes or
  /// several memories.
  Size bytes = 0;
  /// false: more may be missing; with banks or several memories only the load counts.
  bool exact = true;
  std::size_t variant = 0;
  /// Names of the profile's rules without which the smallest tile might have a placement; only if
  /// no bytes are missing.
  std::vector<std::string> rules{};
  /// The limit that ended the budget before every tile was evaluated; then 0 bytes is no statement.
  std::optional<StopReason> stopped{};
};

/// require: `variants` is not empty, and no tile fits in any of them. If the budget ends first, the
/// result comes from the load of the tiles evaluated until then.
[[nodiscard]] MissingBytes missing_bytes(const tiling::Subgraph& part, const Hardware& hardware,
                                         const std::vector<TileVariant>& variants,
                                         const Budget& budget);

/// "1 byte more", "at least 16 bytes more".
[[nodiscard]] std::string to_string(const MissingBytes& missing);

/// "no placement satisfies the rule 'low' of the profile"; the end of a sentence if no bytes are
/// missing.
[[nodiscard]] std::string no_placement(const MissingBytes& missing);

}  // namespace tessera::placer
