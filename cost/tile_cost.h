// What one distinct tile of a run takes, task by task.
//
//   const RunTasks tasks = run_tasks(run);
//   const TileCost cost = tile_cost(run, tasks, t, links_of(hardware));   // of run.grid->tiles[t]
//
// An op takes what its engine needs, and no less than the memories on the chip need for what it
// reads and writes there, each at its own bandwidth (none stated: no limit).
#pragma once

#include <string_view>
#include <vector>

#include "cost/pipeline.h"
#include "cost/run_tasks.h"
#include "cost/tiled_run.h"
#include "cost/transfer.h"

namespace tessera::cost {

struct OpCost {
  Cycles cycles = 0;        ///< with the switches of modes before it
  std::int64_t slices = 1;  ///< in which its weights can arrive
  Cycles last = 0;          ///< of the cycles, for the channels whose weights arrive last
  Cycles compute = 0;       ///< on its engine alone
  std::size_t engine = 0;
  Limiter limiter = Limiter::mac;
  double energy_pj = 0;
  std::int64_t work = 0;  ///< multiply-accumulates
};

struct MoveCost {
  TransferCost transfer;
  double energy_pj = 0;
  // Of the transfer, what comes after the first slice.
  Cycles later = 0;
  Cycles later_shared = 0;
};

/// Cycles in which a memory on the chip serves what the ops of a tile read and write there, those
/// that lead and those that trail.
struct MemoryService {
  Cycles leading = 0;
  Cycles trailing = 0;
};

struct TileCost {
  std::vector<OpCost> ops;      ///< per step
  std::vector<MoveCost> moves;  ///< as in the tasks
  /// By memory as placements count them; empty where no op trails.
  std::vector<MemoryService> served;
};

[[nodiscard]] TileCost tile_cost(const TiledRun& run, const RunTasks& tasks, std::size_t tile,
                                 const Links& links);

/// The placement of one of the grid's tiles.
[[nodiscard]] const Placement& placement_of(const TiledRun& run, std::size_t tile);
/// Where the tiles of a local tensor lie: the memory as placements count them, and what a byte read
/// from or written to it takes.
struct OnChip {
  MemoryIndex memory = 0;
  AccessEnergy energy;
};
/// Of the shares of local tensors.
class ChipPlaces {
 public:
  ChipPlaces(const TiledRun& run, const Placement& placement);
  [[nodiscard]] const OnChip& of(std::size_t local, std::size_t share) const {
    return places_[local * shares_ + share];
  }
  /// Where the rows of a local tensor lie that stay. require: some do
  [[nodiscard]] const OnChip& of_rows(std::size_t local) const { return rows_[local]; }

 private:
  std::size_t shares_ = 1;
  std::vector<OnChip> places_;
  std::vector<OnChip> rows_;  ///< none where no rows stay
};

}  // namespace tessera::cost
