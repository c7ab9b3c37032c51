// The transfers of a group and their time windows, derived from the lifetimes of its buffers.
//
//   const GroupTasks tasks = group_tasks(run);
//   for (const Move& move : tasks.moves) ...   // of every tile
#pragma once

#include <cstddef>
#include <vector>

#include "cost/tiled_group.h"
#include "tessera/units.h"
#include "tiling/walk.h"

namespace tessera::cost {

/// Time window in the cycle of steps: earliest begin of a load, latest end of a store.
struct Slack {
  Step start_after = 0;  ///< relative to the first step of the tile's own slot; may be < 0
  Step end_before = 0;   ///< the step that must wait; may be >= steps
};

struct Move {
  std::size_t local = 0;
  std::size_t share = 0;  ///< share of the tensor (lower.h)
  bool load = true;
  Slack slack;
  Step use = 0;  ///< first (load) or last (store) step that uses the buffer
  /// Weights of a single step that starts as soon as the first slice has arrived.
  bool in_slices = false;
  /// Weights resident for all tiles: the first tile loads them, without waiting.
  bool resident = false;
  /// Weight prefetch for the next group. The first tile loads it once its first op may begin, and
  /// no op waits for it. Attributed to that op.
  bool prefetch = false;
  /// The engine reads or writes it off-chip while it computes the op.
  bool direct = false;
  /// Trailing ops use the buffer, so no other buffer shares its address.
  bool trails = false;
};

/// A copy on chip, from where a tensor is made to where some ops read it, before a step.
struct ChipCopy {
  std::size_t local = 0;
  std::size_t share = 0;  ///< the share that is filled
  Step before = 0;
};

/// The tile-independent part of a group's tasks.
struct GroupTasks {
  Step steps = 0;
  tiling::Timeline line{};       ///< the order of these steps
  std::vector<Move> moves;       ///< per tile
  std::vector<ChipCopy> copies;  ///< per tile
  /// Per tile, if halos are copied: the part of a tensor from previous tiles, copied to the place
  /// where ops read the rest.
  std::vector<ChipCopy> halos;
};

[[nodiscard]] GroupTasks group_tasks(const TiledGroup& run);

/// Does such a tile make this transfer? Data that stays on chip is there from the previous tile.
[[nodiscard]] bool is_moved(const tiling::TileWalk& walk, const Move& move,
                            const tiling::TileVisit& visit);

}  // namespace tessera::cost
