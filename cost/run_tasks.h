// What a run moves, and when it may: what follows from the lives of its buffers.
//
//   const RunTasks tasks = run_tasks(run);
//   for (const Move& move : tasks.moves) ...   // of every tile
#pragma once

#include <cstddef>
#include <vector>

#include "cost/tiled_run.h"
#include "tessera/units.h"

namespace tessera::cost {

/// Where in the cycle of steps a buffer's load may start and its store must have ended.
struct Slack {
  Step start_after = 0;  ///< relative to the first step of the tile's own slot; may be < 0
  Step end_before = 0;   ///< the step that must wait; may be >= steps
};

struct Move {
  std::size_t local = 0;
  std::size_t share = 0;  ///< of the tensor (lower.h)
  bool load = true;
  Slack slack;
  Step use = 0;  ///< first (load) or last (store) step that uses the buffer
  /// Weights of the only step that uses them, which begins when the first of them are there.
  bool in_slices = false;
  /// Weights that are there for all tiles: the first one loads them, and waits for nothing.
  bool resident = false;
  /// A weight of the next run: the first tile loads it once its first op may begin, and no op waits
  /// for it. Counts for that op.
  bool ahead = false;
  /// Read or written by the engine itself, while it computes the op.
  bool direct = false;
  /// Ops that trail use the buffer: it shares its place with no other.
  bool trails = false;
};

/// From where a tensor is made to where some ops read it, before a step.
struct ChipCopy {
  std::size_t local = 0;
  std::size_t share = 0;  ///< that is filled
  Step before = 0;
};

/// Everything about a run that does not depend on the tile.
struct RunTasks {
  Step steps = 0;
  tiling::Timeline line{};       ///< of these steps
  std::vector<Move> moves;       ///< per tile
  std::vector<ChipCopy> copies;  ///< per tile
  /// Per tile, where halos are copied: what it has of a tensor from the tiles before, to where its
  /// ops read the rest of it.
  std::vector<ChipCopy> halos;
};

[[nodiscard]] RunTasks run_tasks(const TiledRun& run);

}  // namespace tessera::cost
