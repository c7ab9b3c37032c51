// The compute command of one op in one tile: the parts of its operands and their places.
//
//   if (std::optional<Command> command = compute_of(group, tile, step)) issue(*command);
//
// Private to commands/.
#pragma once

#include <optional>

#include "commands/command.h"
#include "commands/group.h"

namespace tessera::commands {

/// Fills what depends on the tile: op, operands, padding, sums. Nothing if the op computes nothing
/// in this tile.
/// throws: Unsupported
[[nodiscard]] std::optional<Command> compute_of(const Group& group, const TileAt& tile, Step step);

/// Copies of the rows and columns that the next tiles reuse, of one tensor and share. No copies if
/// there are none.
[[nodiscard]] std::vector<Copy> halo_copies(const Group& group, const TileAt& tile,
                                            std::size_t local, std::size_t share);

}  // namespace tessera::commands
