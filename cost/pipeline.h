// Simulates the tile pipeline as command streams: start time of each command, total cycles.
//
//   Pipeline p;
//   p.resources = {{"dma", 1}, {"mac", 1}};
//   p.tasks = {{.name = "load x", .resource = 0, .lead = 1, .after = {{.task = 1, .tiles_back =
//   2}}},
//              {.name = "conv",   .resource = 1, .after = {{.task = 0}}}};
//   p.classes = {{{100, 80}}};                     // one tile class: cycles of load and of conv
//   p.sequence = {{.tile_class = 0, .count = 56}};
//   PipelineRun run = simulate(p, {});             // run.cycles
//
// Every tile runs the same tasks; only their durations depend on the tile (edge tiles differ from
// inner ones). A resource is one hardware queue, or several equal channels fed from one queue. It
// starts its commands in the order of issue, each as soon as its inputs exist. The command streams
// of real accelerators do the same. Tasks of zero duration do not occupy the queue. A task with
// `lead` 1 is issued one tile early, before the stores of the current tile; this implements
// prefetching. Channels share the bandwidth of their memory, the bus. A task has its channel from
// its begin, and streams as soon as its latency is over and the bus is free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::cost {

using Cycles = std::int64_t;

struct PipelineResource {
  std::string name;
  int channels = 1;
};

struct PipelineDependency {
  std::size_t task = 0;
  int tiles_back = 0;  ///< 0: same tile; 1: the tile before; ...
};

struct PipelineTask {
  std::string name;
  std::size_t resource = 0;
  int lead = 0;  ///< issued this many tiles early
  std::vector<PipelineDependency> after{};
  std::optional<std::size_t> bus{};  ///< the bus it shares with other channels
};

struct TileRun {
  std::size_t tile_class = 0;
  std::int64_t count = 1;
};

/// require: (checked by simulate, std::invalid_argument) indices in range; every dependency is
/// issued before the task that waits for it; durations not negative; one duration per task.
struct Pipeline {
  std::vector<PipelineResource> resources;
  std::vector<PipelineTask> tasks;  ///< in issue order within a tile
  std::vector<std::vector<Cycles>>
      classes;  ///< classes[c][k]: cycles of task k in tiles of class c
  /// bus_cycles[c][k]: task k occupies its bus for the last of its cycles; the bus serves one task
  /// at a time. 0: the task does not use the bus. Empty: no task has a bus.
  std::vector<std::vector<Cycles>> bus_cycles;
  std::size_t buses = 0;
  /// The tiles in order: `before`, then `sequence` repeated `repeat` times (rows of tiles), then
  /// `after`; each may be empty.
  std::vector<TileRun> before;
  std::vector<TileRun> sequence;
  std::int64_t repeat = 1;
  std::vector<TileRun> after;
};

/// One executed command, for traces.
struct PipelineEvent {
  std::size_t task = 0;
  std::int64_t tile = 0;
  int channel = 0;
  Cycles begin = 0;
  Cycles end = 0;
  std::size_t tile_class = 0;
};

struct PipelineOptions {
  /// Skip slots once the state of all queues repeats; the result is identical.
  bool extrapolate = true;
  std::vector<PipelineEvent>* events = nullptr;  ///< records every command, without skipping ...
  std::int64_t max_events = 100000;              ///< ... up to this number
};

struct PipelineRun {
  Cycles cycles = 0;                 ///< when the last command ends
  std::vector<Cycles> busy;          ///< per resource: sum of durations
  std::int64_t tiles = 0;            ///< number of tiles
  std::int64_t simulated_tiles = 0;  ///< tiles stepped through
};

/// ensure: cycles >= busy[r] / channels for every r, and <= the sum of busy. busy excludes the time
/// that tasks wait for a bus.
[[nodiscard]] PipelineRun simulate(const Pipeline& pipeline, const PipelineOptions& options);

}  // namespace tessera::cost
