// Runs whose last ops work one tile behind the others, at the same time.
//
//   for (const std::int64_t ops : trailing_choices(part, hardware)) ...  // so many at the end
//   const Timeline line{.steps = 4, .leading = 3};                       // the last of four trails
//   line.of(line.used_by(3));                                            // {.step = 3, .tiles_back
//   = 0}
//
// A tile's leading ops work in its own slot and the trailing ones in the next, beside the leading
// ones of the next tile (a software pipeline of two stages). Steps of a slot are numbered as ops
// are: op k of a run of n leads at step k of its tile's slot and trails at step n + k, counted from
// where that slot begins. Leading ops run in their order and so do trailing ones, but nobody knows
// where in its slot an op that trails begins: what leading ops alone use may change places with
// each other, and all else lives through all slots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/units.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

/// How many ops may trail: nothing where the machine's engines work in turn (TilingOptions), or the
/// ops of the run all have engines of one queue.
[[nodiscard]] std::vector<std::int64_t> trailing_choices(const Subgraph& part,
                                                         const Hardware& hardware);

/// May engines of the machine work side by side?
[[nodiscard]] bool works_side_by_side(const Hardware& hardware);

/// Steps of a run, counted from where a tile's own slot begins.
struct Timeline {
  Step steps = 0;    ///< of a slot: as many as ops
  Step leading = 0;  ///< the first ops; all where none trails

  [[nodiscard]] bool trails(Step op) const { return op >= leading; }
  [[nodiscard]] bool any_trails() const { return leading < steps; }
  /// The step at which an op of the tile works.
  [[nodiscard]] Step used_by(Step op) const { return trails(op) ? steps + op : op; }

  struct Position {
    Step step = 0;       ///< the op that works there
    int tiles_back = 0;  ///< whose: of the tile so many before; of a later one where negative
  };
  [[nodiscard]] Position of(Step step) const {
    const Step slot = slot_of(step);
    const Step op = step - slot * steps;
    return {op, static_cast<int>((trails(op) ? 1 : 0) - slot)};
  }
  /// Where leading ops alone matter, what is between the last one of a slot and the first one of
  /// the next is a moment: whoever waits for its begin waits for the one, ...
  [[nodiscard]] Step ended_by(Step step) const {
    const Step slot = slot_of(step);
    return slot * steps + std::min(step - slot * steps, leading - 1);
  }
  /// ... and its end is when the other begins.
  [[nodiscard]] Step begun_by(Step step) const {
    const Step slot = slot_of(step);
    return trails(step - slot * steps) ? (slot + 1) * steps : step;
  }
  /// Numbers the leading steps of all slots one by one.
  [[nodiscard]] Step among_leading(Step step) const {
    const Step slot = slot_of(step);
    return slot * leading + std::min(step - slot * steps, leading);
  }

 private:
  [[nodiscard]] Step slot_of(Step step) const {
    return step >= 0 ? step / steps : -((-step + steps - 1) / steps);
  }
};

}  // namespace tessera::tiling
