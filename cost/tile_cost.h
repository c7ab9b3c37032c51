// Cost of one distinct tile of a group, task by task.
//
//   const GroupTasks tasks = group_tasks(run);
//   const TileCost cost = tile_cost(run, tasks, t, links_of(hardware));   // of run.grid->tiles[t]
//
// An op takes the maximum of its engine's cycles and of the cycles that each on-chip memory needs
// for its reads and writes (no limit if the bandwidth is not stated).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cost/group_tasks.h"
#include "cost/pipeline.h"
#include "cost/tiled_group.h"
#include "cost/transfer.h"

namespace tessera::cost {

struct OpCost {
  Cycles cycles = 0;        ///< including mode switches before it
  Cycles switching = 0;     ///< of these, of the mode switches
  std::int64_t slices = 1;  ///< number of slices in which its weights arrive
  Cycles last = 0;          ///< cycles for the channels whose weights arrive last
  Cycles compute = 0;       ///< on its engine, without waiting for memory
  std::size_t engine = 0;
  Limiter limiter = Limiter::mac;
  double energy_pj = 0;
  std::int64_t work = 0;  ///< multiply-accumulates
};

struct MoveCost {
  TransferCost transfer;
  double energy_pj = 0;
  Size chip_bytes = 0;  ///< at the on-chip end
  // Cycles of the transfer after the first slice.
  Cycles later = 0;
  Cycles later_shared = 0;
};

/// Cycles in which an on-chip memory serves the reads and writes of a tile's leading ops, and of
/// its trailing ops.
struct MemoryService {
  Cycles leading = 0;
  Cycles trailing = 0;
};

struct TileCost {
  std::vector<OpCost> ops;      ///< per step
  std::vector<MoveCost> moves;  ///< in the order of the tasks
  /// By memory in placement numbering; empty if no op trails.
  std::vector<MemoryService> served;
};

[[nodiscard]] TileCost tile_cost(const TiledGroup& run, const GroupTasks& tasks, std::size_t tile,
                                 const Links& links);

/// Bytes of a tile that one user reads or writes in one memory.
struct TileAccess {
  enum class Operand : std::uint8_t { input, weights, output };
  std::size_t memory = 0;             ///< of the hardware
  std::optional<std::size_t> engine;  ///< none: the DMA
  Operand operand = Operand::input;
  bool write = false;
  double bytes = 0;
};

/// The energy of a tile: that of its computing and of its accesses. Mode switches and static power
/// come on top.
struct TileAccesses {
  std::vector<double> compute_pj;              ///< per step
  std::vector<std::vector<TileAccess>> ops;    ///< per step, with the copies before it
  std::vector<std::vector<TileAccess>> moves;  ///< in the order of the tasks
};

/// The accesses of a tile that tile_cost() prices.  require: cost is tile_cost() of it.
[[nodiscard]] TileAccesses tile_accesses(const TiledGroup& run, const GroupTasks& tasks,
                                         std::size_t tile, const TileCost& cost,
                                         const Links& links);

/// The placement of one of the grid's tiles, and its mode switches before each step.
[[nodiscard]] const Placement& placement_of(const TiledGroup& run, std::size_t tile);
[[nodiscard]] std::vector<std::int64_t> mode_switches(const TiledGroup& run, std::size_t tile);
/// Memory of a local tensor's tiles, in placement numbering, with its energy per byte read or
/// written.
struct OnChip {
  MemoryIndex memory = 0;
  AccessEnergy energy;
};
/// Memories of the shares of local tensors.
class ChipPlaces {
 public:
  ChipPlaces(const TiledGroup& run, const Placement& placement);
  [[nodiscard]] const OnChip& of(std::size_t local, std::size_t share) const {
    return places_[local * shares_ + share];
  }

 private:
  std::size_t shares_ = 1;
  std::vector<OnChip> places_;
};

}  // namespace tessera::cost
