// Software pipelines of two stages: the last ops of a group work one tile behind the others, at the
// same time.
//
//   for (const std::int64_t ops : trailing_choices(part, hardware)) ...  // number of trailing ops
//   const Timeline line{.steps = 4, .leading = 3};                       // the last of four trails
//   line.of(line.used_by(3));                                            // {.step = 3, .tiles_back
//   = 0}
//
// A tile's leading ops work in its own slot, and its trailing ops in the next slot, beside the
// leading ops of the next tile. Steps of a slot are numbered as the ops. Op k of a group of n works
// at step k if it leads, and at step n + k if it trails. Both count from the begin of the tile's
// slot. Leading ops run in order, and so do trailing ops. The begin of a trailing op within its
// slot is unknown. Therefore tensors that only leading ops use may share addresses with each other,
// and all others are live in all slots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/units.h"
#include "tiling/subgraph.h"

namespace tessera::tiling {

/// The possible numbers of trailing ops. Empty if the machine's engines work in turn
/// (TilingOptions), or if all ops of the group use engines of one queue. Trailing ops read no
/// resident tensor of leading ops of which tiles may compute a part again.
[[nodiscard]] std::vector<std::int64_t> trailing_choices(const Subgraph& part,
                                                         const Hardware& hardware);

/// May engines of the machine overlap?
[[nodiscard]] bool works_side_by_side(const Hardware& hardware);

/// The steps of a group, counted from the begin of a tile's own slot.
struct Timeline {
  Step steps = 0;    ///< per slot: the number of ops
  Step leading = 0;  ///< number of leading ops; all if none trails

  [[nodiscard]] bool trails(Step op) const { return op >= leading; }
  [[nodiscard]] bool any_trails() const { return leading < steps; }
  /// The step at which an op of the tile works.
  [[nodiscard]] Step used_by(Step op) const { return trails(op) ? steps + op : op; }

  struct Position {
    Step step = 0;       ///< the op that works there
    int tiles_back = 0;  ///< of an earlier tile, by this distance; negative: of a later tile
  };
  [[nodiscard]] Position of(Step step) const {
    const Step slot = slot_of(step);
    const Step op = step - slot * steps;
    return {op, static_cast<int>((trails(op) ? 1 : 0) - slot)};
  }
  /// For leading ops alone, the time between the last one of a slot and the first one of the next
  /// slot is a single moment. Its begin is the end of the last leading op, ...
  [[nodiscard]] Step ended_by(Step step) const {
    const Step slot = slot_of(step);
    return slot * steps + std::min(step - slot * steps, leading - 1);
  }
  /// ... and its end is the begin of the next slot.
  [[nodiscard]] Step begun_by(Step step) const {
    const Step slot = slot_of(step);
    return trails(step - slot * steps) ? (slot + 1) * steps : step;
  }
  /// Numbers the leading steps of all slots consecutively.
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
