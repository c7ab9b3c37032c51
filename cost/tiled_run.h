// What a tiled and placed subgraph costs on a machine.
//
//   TiledRun run{.lowering = &lowering, .subgraph = &part, .grid = &grid, .hardware = &hardware};
//   run.placements = {&placement};                    // one for all tiles, or one per grid.tiles
//   RunCost cost = run_cost(run);                     // cost.metrics.latency_cycles, ...
//   simulate(run_schedule(run).pipeline, {.events = &events});   // the same, command by command
//
// Tasks per tile: loads, ops, stores. Ops run one after the other, because the placement lets
// buffers of different steps share addresses. A load may start once the step before its buffer's
// life has ended, and a store has to end before the step after it starts: so what double buffering
// buys follows from the lifetimes the buffers were placed with, and from nothing else.
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

struct TiledRun {
  const tiling::Subgraph* subgraph = nullptr;
  const tiling::TileGrid* grid = nullptr;
  const tiling::Lowering* lowering = nullptr;
  const Hardware* hardware = nullptr;
  /// One that holds every tile, or one per entry of grid->tiles.
  std::vector<const PlannedPlacement*> placements;
  ArrayMemo* memo = nullptr;  ///< of the hardware, if there is one
  Poll* poll = nullptr;       ///< who is asked whether to go on, if anybody: throws BudgetEnded
};

/// What keeps an op from being done sooner.
enum class Limiter : std::uint8_t {
  mac,
  weights,  ///< they arrive at the array too slowly
  vector,   ///< the vector engine, or the way results leave the array
  sram,     ///< a memory on the chip
  dma
};
[[nodiscard]] std::string_view to_string(Limiter limiter);

/// One op of the run, over all of its tiles. What is moved for several ops counts for the first one
/// that reads it, or for the one that made it.
struct LayerCost {
  Cycles compute_cycles = 0;  ///< on its engine
  Cycles cycles = 0;          ///< its share of the latency: shares add up to the whole of it
  Size offchip_bytes = 0;
  double energy_pj = 0;  ///< shares add up
  Limiter limiter = Limiter::mac;
};

struct RunCost {
  Metrics metrics;
  std::vector<LayerCost> layers;    ///< per step
  std::int64_t compute_cycles = 0;  ///< on the engines together
  std::int64_t dma_cycles = 0;      ///< on the DMA channels together
  std::int64_t work = 0;            ///< multiply-accumulates
  double utilisation = 0;           ///< multiply-accumulates done / possible on the MAC array
  std::int64_t mode_switches = 0;
};

/// What a command of the pipeline takes besides time.
struct TaskFlow {
  Size bytes = 0;    ///< on the bus off the chip: whole bursts
  Cycles bus = 0;    ///< they are on it for so many cycles, the last ones of the command
  bool load = true;  ///< else a store
  double energy_pj = 0;
};

/// The tile pipeline (resource 0 is the DMA, resource 1 + e is engine e of the profile, or the
/// first of its queue) and what is in it: to be looked at, command by command.
struct RunSchedule {
  Pipeline pipeline;
  /// Tasks of the first so many resources are commands. The others are memories on the chip that
  /// engines side by side may wait for.
  std::size_t commanded = 0;
  std::vector<std::vector<TaskFlow>> flows;  ///< by class and task
  std::vector<std::size_t> tile_of_class;    ///< which of grid->tiles
  std::vector<std::optional<Step>> op_ends;  ///< per task: the step of the run it completes
};

[[nodiscard]] RunSchedule run_schedule(const TiledRun& run);

/// require: placements pass the checker for the tiles' sizes; the hardware has a clock, an
/// off-chip memory and engines (std::invalid_argument otherwise).
[[nodiscard]] RunCost run_cost(const TiledRun& run);

}  // namespace tessera::cost
