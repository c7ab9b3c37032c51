// Cost of a tiled and placed group of ops on a machine.
//
//   TiledGroup run{.lowering = &lowering, .subgraph = &part, .grid = &grid, .hardware = &hardware};
//   run.placements = {&placement};                    // one for all tiles, or one per grid.tiles
//   GroupCost cost = group_cost(run);                     // cost.metrics.latency_cycles, ...
//   simulate(group_schedule(run).pipeline, {.events = &events});   // the same, command by command
//
// Tasks per tile: loads, ops, stores. Ops run one after the other, because buffers of different
// steps may share addresses. A load may start once the step before its buffer's lifetime has ended,
// and a store has to end before the step after the lifetime starts. The benefit of double buffering
// therefore follows from the lifetimes of the placement alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/pipeline.h"
#include "cost/score.h"
#include "model/poll.h"
#include "tessera/hardware.h"
#include "tessera/network_plan.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"
#include "tiling/subgraph.h"

namespace tessera::cost {

class ArrayMemo;

struct TiledGroup {
  const tiling::Subgraph* subgraph = nullptr;
  const tiling::TileGrid* grid = nullptr;
  const tiling::Lowering* lowering = nullptr;
  const Hardware* hardware = nullptr;
  /// One that holds every tile, or one per entry of grid->tiles.
  std::vector<const PlannedPlacement*> placements;
  ArrayMemo* memo = nullptr;  ///< of the hardware, or null
  Poll* poll = nullptr;       ///< called between steps, may be null; throws BudgetEnded to stop
};

/// The bottleneck of an op.
enum class Limiter : std::uint8_t {
  mac,
  weights,  ///< weights arrive at the array too slowly
  vector,   ///< the vector engine, or the output path of the array
  sram,     ///< an on-chip memory
  dma
};
[[nodiscard]] std::string_view to_string(Limiter limiter);

/// One op of the group, over all of its tiles. A transfer for several ops counts for its first
/// reader, or for its producer.
struct LayerCost {
  Cycles compute_cycles = 0;  ///< on its engine
  Cycles cycles = 0;          ///< its share of the latency: shares add up to the total
  Size offchip_bytes = 0;
  double energy_pj = 0;  ///< shares add up
  Limiter limiter = Limiter::mac;
};

struct GroupCost {
  Metrics metrics;
  std::vector<LayerCost> layers;    ///< per step
  std::int64_t compute_cycles = 0;  ///< summed over engines
  std::int64_t dma_cycles = 0;      ///< summed over DMA channels
  std::int64_t work = 0;            ///< multiply-accumulates
  double utilisation = 0;           ///< multiply-accumulates done / possible on the MAC array
  std::int64_t mode_switches = 0;
};

/// Bandwidth use of a command of the pipeline.
struct TaskFlow {
  Size bytes = 0;    ///< off-chip bus, in whole bursts
  Cycles bus = 0;    ///< the last cycles of the command, during which it occupies the bus
  bool load = true;  ///< false: a store
  double energy_pj = 0;
};

/// The meaning of a task of the pipeline.
struct TaskMeaning {
  enum class Kind : std::uint8_t { op, move, service };
  Kind kind = Kind::service;
  std::size_t index = 0;  ///< step of the group, or index in GroupTasks::moves; of `service`: 0
  /// Of two tasks: the rest of a transfer, or the work of an op after the last weights have
  /// arrived.
  bool rest = false;
  bool two = false;  ///< there are two tasks
};

/// The tile pipeline and the meaning of its tasks, for traces. Resource 0 is the DMA, resource 1 +
/// e is engine e of the profile, or the first of its queue.
struct GroupSchedule {
  Pipeline pipeline;
  /// The first tasks are commands. The others are on-chip memories that parallel engines may wait
  /// for.
  std::size_t commanded = 0;
  std::vector<std::vector<TaskFlow>> flows;  ///< by class and task
  std::vector<std::size_t> tile_of_class;    ///< index into grid->tiles
  std::vector<std::optional<Step>> op_ends;  ///< per task: the step of the group that it completes
  std::vector<TaskMeaning> meanings;         ///< per task
  std::vector<std::vector<std::size_t>>
      engines;                                 ///< by class and step: the engine that computes it
  std::vector<std::vector<Cycles>> switching;  ///< by class and step: cycles of mode switches
};

[[nodiscard]] GroupSchedule group_schedule(const TiledGroup& run);

/// require: placements pass the checker for the tiles' sizes; the hardware has a clock, an
/// off-chip memory and engines (std::invalid_argument otherwise).
[[nodiscard]] GroupCost group_cost(const TiledGroup& run);

}  // namespace tessera::cost
