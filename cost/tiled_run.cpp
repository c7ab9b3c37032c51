#include "cost/tiled_run.h"

#include <algorithm>

#include "cost/compute.h"
#include "cost/run_parts.h"
#include "cost/transfer.h"
#include "cost/whole_number.h"
#include "facts/modes.h"
#include "model/derived.h"
#include "tessera/check.h"

namespace tessera {
namespace {

constexpr std::size_t dma_resource = 0;

/// Where in the cycle of steps a buffer's load may start and its store must have ended.
struct Slack {
  Step start_after = 0;  ///< global step number, relative to the tile's own step 0; may be < 0
  Step end_before = 0;   ///< the step that must wait; may be >= steps
};

/// Walks from the first (last) use to where the life containing it begins (ends), around the
/// cycle of steps, but never into the next use of the same buffer, `reuse` steps away.
Slack slack_of(const Buffer& buffer, Step cycle, Step reuse, Step first, Step last) {
  const auto alive = [&](Step step) { return live_at(buffer, (step % cycle + cycle) % cycle); };
  Slack slack{first - 1, last + 1};
  while (slack.start_after > last - reuse && alive(slack.start_after)) --slack.start_after;
  while (slack.end_before < first + reuse && alive(slack.end_before)) ++slack.end_before;
  return slack;
}

struct Move {
  std::size_t local = 0;
  bool load = true;
  Slack slack;
  Step use = 0;  ///< first (load) or last (store) step that uses the buffer
};

/// Everything about a run that does not depend on the tile.
struct Plan {
  Step steps = 0;
  std::vector<Move> moves;            ///< per tile
  std::vector<std::size_t> resident;  ///< local weight tensors loaded before the first tile
};

Plan make_plan(const TiledRun& run) {
  const Subgraph& part = *run.subgraph;
  const Lowering& lowering = *run.lowering;
  Plan plan;
  plan.steps = lowering.steps_per_tile;
  const Step cycle = lowering.options.double_buffer ? 2 * plan.steps : plan.steps;
  std::vector<bool> two_copies(part.tensors.size(), false);
  for (const LoweredBuffer& lowered : lowering.buffers)
    if (lowered.copy == 1) two_copies[lowered.tensor] = true;
  // The first copy's buffer of each tensor stands for both: they live alike, half a cycle apart.
  for (std::size_t b = 0; b < lowering.buffers.size(); ++b) {
    const LoweredBuffer& lowered = lowering.buffers[b];
    if (lowered.role != BufferRole::tile || lowered.copy != 0) continue;
    const LocalTensor& local = part.tensors[lowered.tensor];
    const Buffer& buffer = lowering.problem.buffers[b];
    const bool resident =
        local.weight && lowering.options.weights == WeightPolicy::resident && loaded(local);
    if (resident) {
      plan.resident.push_back(lowered.tensor);
      continue;
    }
    if (local.consumers.empty() && loaded(local)) continue;
    const Step first = loaded(local) ? local.consumers.front() : *local.producer;
    const Step last = local.consumers.empty() ? first : std::max(first, local.consumers.back());
    const Step reuse = two_copies[lowered.tensor] ? cycle : plan.steps;
    const Slack slack = slack_of(buffer, cycle, reuse, first, last);
    if (loaded(local)) plan.moves.push_back({lowered.tensor, true, slack, first});
    if (local.leaves && !loaded(local)) plan.moves.push_back({lowered.tensor, false, slack, last});
  }
  return plan;
}

const Placement& placement_of(const TiledRun& run, std::size_t tile) {
  return run.placements[run.placements.size() == 1 ? 0 : tile]->placement;
}

/// Energy of one byte read from and written to the memory each local tensor was placed in.
std::vector<AccessEnergy> access_energies(const TiledRun& run, const Placement& placement) {
  std::vector<AccessEnergy> on_chip;
  for (const HardwareMemory& memory : run.hardware->memories)
    if (!memory.offchip) on_chip.push_back(memory.energy);
  std::vector<AccessEnergy> energies(run.subgraph->tensors.size());
  for (std::size_t b = 0; b < run.lowering->buffers.size(); ++b)
    if (run.lowering->buffers[b].role == BufferRole::tile)
      energies[run.lowering->buffers[b].tensor] = on_chip[placement.places[b].memory];
  return energies;
}

/// Cycles and energy of one distinct tile, task by task.
struct TileCost {
  std::vector<Cycles> ops;
  std::vector<Cycles> moves;
  std::vector<std::size_t> engines;
  double energy_pj = 0;
  Size dram_bytes = 0;
  std::int64_t work = 0;
};

TileCost tile_cost(const TiledRun& run, const Plan& plan, std::size_t index, const Link& link) {
  const Subgraph& part = *run.subgraph;
  const Hardware& hardware = *run.hardware;
  const TileRegions& tile = run.grid->tiles[index];
  const Placement& placement = placement_of(run, index);
  const std::vector<AccessEnergy> energies = access_energies(run, placement);
  const std::vector<std::int64_t> switches =
      mode_switches(placement.modes, run.lowering->steps_per_tile);
  TileCost cost;
  for (Step step = 0; step < plan.steps; ++step) {
    ComputeCost op;
    if (computes(part, tile, step))
      op = compute_cost(*part.network, part.op(step), computed_extents(part, tile, step), hardware);
    const std::int64_t switched = switches[static_cast<std::size_t>(step)];
    cost.ops.push_back(op.cycles + switched * hardware.mode_switch.cycles);
    cost.engines.push_back(op.engine);
    cost.work += is_product(part.op(step)) ? op.work : 0;
    cost.energy_pj += op.energy_pj + static_cast<double>(switched) * hardware.mode_switch.energy_pj;
  }
  cost.energy_pj += access_energy(part, tile, energies);
  const AccessEnergy dram = offchip_energy(hardware);
  for (const Move& move : plan.moves) {
    const Box& box = move.load ? tile.fresh[move.local] : tile.stored[move.local];
    const BurstCount count = moved(part, move.local, box, link);
    const TransferCost transfer = transfer_cost(count, link);
    cost.moves.push_back(transfer.cycles);
    cost.dram_bytes += transfer.bytes;
    const AccessEnergy& chip = energies[move.local];
    cost.energy_pj +=
        static_cast<double>(transfer.bytes) * (move.load ? dram.read_pj : dram.write_pj) +
        static_cast<double>(count.bytes) * (move.load ? chip.write_pj : chip.read_pj);
  }
  return cost;
}

/// The tiles in order of execution, so that the longest block of equal rows repeats.
void set_sequence(const TileGrid& grid, Pipeline& pipeline) {
  struct Row {
    Dim c = 0, h = 0;
    std::uint32_t kind = 0;
  };
  std::vector<Row> rows;
  for (Dim c = 0; c < grid.counts[0]; ++c)
    for (Dim h = 0; h < grid.counts[1]; ++h)
      rows.push_back({c, h,
                      grid.classes[0][static_cast<std::size_t>(c)] * grid.class_counts[1] +
                          grid.classes[1][static_cast<std::size_t>(h)]});
  const auto row_runs = [&](const Row& row) {
    std::vector<TileRun> runs;
    for (Dim w = 0; w < grid.counts[2]; ++w) {
      const std::size_t tile = grid.at(row.c, row.h, w);
      if (!runs.empty() && runs.back().tile_class == tile)
        ++runs.back().count;
      else
        runs.push_back({tile, 1});
    }
    return runs;
  };
  std::size_t best = 0;
  std::size_t best_length = 0;
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].kind == rows[begin].kind) ++end;
    if (end - begin > best_length) {
      best = begin;
      best_length = end - begin;
    }
    begin = end;
  }
  const auto append = [](std::vector<TileRun>& list, const std::vector<TileRun>& runs) {
    list.insert(list.end(), runs.begin(), runs.end());
  };
  for (std::size_t r = 0; r < best; ++r) append(pipeline.before, row_runs(rows[r]));
  pipeline.sequence = row_runs(rows[best]);
  pipeline.repeat = static_cast<std::int64_t>(best_length);
  for (std::size_t r = best + best_length; r < rows.size(); ++r)
    append(pipeline.after, row_runs(rows[r]));
}

struct Position {
  Step step = 0;
  int tiles_back = 0;
};
/// A step counted from the tile's own step 0, as a step of this or an earlier tile.
Position position(Step global, Step steps) {
  const Step back = global >= 0 ? 0 : (-global + steps - 1) / steps;
  return {global + back * steps, static_cast<int>(back)};
}

/// Tasks in issue order: each op, then what may start once it has ended. task_of_* give indices.
struct Skeleton {
  std::vector<PipelineTask> tasks;
  std::vector<std::size_t> op_task;
  std::vector<std::size_t> move_task;
};

Skeleton make_skeleton(const TiledRun& run, const Plan& plan, const TileCost& sample) {
  const Subgraph& part = *run.subgraph;
  Skeleton s;
  s.op_task.resize(static_cast<std::size_t>(plan.steps));
  s.move_task.resize(plan.moves.size());
  const auto name_of = [&](const Move& move) {
    return (move.load ? "load " : "store ") + part.tensor(move.local).name;
  };
  for (Step step = 0; step < plan.steps; ++step) {
    s.op_task[static_cast<std::size_t>(step)] = s.tasks.size();
    s.tasks.push_back({.name = part.op(step).name,
                       .resource = 1 + sample.engines[static_cast<std::size_t>(step)]});
    for (const bool load : {true, false})
      for (std::size_t m = 0; m < plan.moves.size(); ++m) {
        const Move& move = plan.moves[m];
        if (move.load != load) continue;
        const Position at = position(load ? move.slack.start_after : move.use, plan.steps);
        if (at.step != step) continue;
        s.move_task[m] = s.tasks.size();
        s.tasks.push_back(
            {.name = name_of(move), .resource = dma_resource, .lead = load ? at.tiles_back : 0});
      }
  }
  // Ops run strictly one after the other.
  for (Step step = 0; step < plan.steps; ++step) {
    const Position before = position(step - 1, plan.steps);
    s.tasks[s.op_task[static_cast<std::size_t>(step)]].after.push_back(
        {s.op_task[static_cast<std::size_t>(before.step)], before.tiles_back});
  }
  for (std::size_t m = 0; m < plan.moves.size(); ++m) {
    const Move& move = plan.moves[m];
    PipelineTask& task = s.tasks[s.move_task[m]];
    if (move.load) {
      const Position start = position(move.slack.start_after, plan.steps);
      task.after.push_back({s.op_task[static_cast<std::size_t>(start.step)], start.tiles_back});
      s.tasks[s.op_task[static_cast<std::size_t>(move.use)]].after.push_back({s.move_task[m], 0});
    } else {
      task.after.push_back({s.op_task[static_cast<std::size_t>(move.use)], 0});
      const Step wait = move.slack.end_before;
      s.tasks[s.op_task[static_cast<std::size_t>(wait % plan.steps)]].after.push_back(
          {s.move_task[m], static_cast<int>(wait / plan.steps)});
    }
  }
  return s;
}

std::vector<TileCost> tile_costs(const TiledRun& run, const Plan& plan, const Link& link) {
  std::vector<TileCost> costs;
  for (std::size_t t = 0; t < run.grid->tiles.size(); ++t) {
    if (run.poll != nullptr) (*run.poll)(2);  // microseconds each
    costs.push_back(tile_cost(run, plan, t, link));
  }
  return costs;
}

struct Resident {
  Cycles cycles = 0;
  Cycles busy = 0;
  Size bytes = 0;
  double energy_pj = 0;
};

/// Resident weights go over the DMA channels in order, each to the channel that is free first.
Resident load_resident(const TiledRun& run, const Plan& plan, const Link& link) {
  const Subgraph& part = *run.subgraph;
  Resident total;
  const std::vector<AccessEnergy> energies = access_energies(run, placement_of(run, 0));
  std::vector<Cycles> channels(static_cast<std::size_t>(run.hardware->dma.channels), 0);
  for (const std::size_t local : plan.resident) {
    const BurstCount count = moved(part, local, whole(part.tensor(local).shape), link);
    const TransferCost transfer = transfer_cost(count, link);
    *std::min_element(channels.begin(), channels.end()) += transfer.cycles;
    total.busy += transfer.cycles;
    total.bytes += transfer.bytes;
    total.energy_pj += static_cast<double>(transfer.bytes) * offchip_energy(*run.hardware).read_pj +
                       static_cast<double>(count.bytes) * energies[local].write_pj;
  }
  total.cycles = *std::max_element(channels.begin(), channels.end());
  return total;
}

Pipeline build_pipeline(const TiledRun& run, const Plan& plan, const std::vector<TileCost>& costs,
                        Cycles start) {
  Pipeline pipeline;
  pipeline.resources.push_back({"dma", static_cast<int>(run.hardware->dma.channels)});
  for (const Engine& engine : run.hardware->engines) pipeline.resources.push_back({engine.name, 1});
  Skeleton skeleton = make_skeleton(run, plan, costs.front());
  pipeline.tasks = std::move(skeleton.tasks);
  for (const TileCost& cost : costs) {
    std::vector<Cycles> durations(pipeline.tasks.size(), 0);
    for (std::size_t k = 0; k < cost.ops.size(); ++k) durations[skeleton.op_task[k]] = cost.ops[k];
    for (std::size_t m = 0; m < cost.moves.size(); ++m)
      durations[skeleton.move_task[m]] = cost.moves[m];
    pipeline.classes.push_back(std::move(durations));
  }
  set_sequence(*run.grid, pipeline);
  pipeline.start = start;
  return pipeline;
}

/// Nothing that is added up over all tiles may wrap: not even if nothing ran side by side.
void require_countable(const TiledRun& run, const std::vector<TileCost>& costs,
                       const Resident& resident) {
  double cycles = static_cast<double>(resident.busy);
  double bytes = static_cast<double>(resident.bytes);
  double work = 0;
  for (std::size_t t = 0; t < costs.size(); ++t) {
    const auto times = static_cast<double>(run.grid->tiles[t].times);
    for (const Cycles each : costs[t].ops) cycles += static_cast<double>(each) * times;
    for (const Cycles each : costs[t].moves) cycles += static_cast<double>(each) * times;
    bytes += static_cast<double>(costs[t].dram_bytes) * times;
    work += static_cast<double>(costs[t].work) * times;
  }
  static_cast<void>(whole_number(cycles, "cycles"));
  static_cast<void>(whole_number(bytes, "bytes"));
  static_cast<void>(whole_number(work, "multiplications"));
}

std::int64_t mac_cells(const Hardware& hardware) {
  for (const Engine& engine : hardware.engines) {
    if (engine.kind != EngineKind::mac_array) continue;
    std::int64_t cells = 1;
    for (const auto& [dim, factor] : engine.unroll) cells *= factor;
    return cells;
  }
  return 1;
}

}  // namespace

Pipeline run_pipeline(const TiledRun& run) {
  const Link link = link_of(*run.hardware);
  const Plan plan = make_plan(run);
  return build_pipeline(run, plan, tile_costs(run, plan, link),
                        load_resident(run, plan, link).cycles);
}

RunCost run_cost(const TiledRun& run) {
  const Link link = link_of(*run.hardware);
  const Plan plan = make_plan(run);
  const std::vector<TileCost> costs = tile_costs(run, plan, link);
  const Resident resident = load_resident(run, plan, link);
  require_countable(run, costs, resident);
  const Pipeline pipeline = build_pipeline(run, plan, costs, resident.cycles);
  const PipelineRun simulated = simulate(pipeline, {});

  RunCost cost;
  cost.resident_cycles = resident.cycles;
  Metrics& m = cost.metrics;
  m.latency_cycles = simulated.cycles;
  m.dram_bytes = resident.bytes;
  m.energy_pj = resident.energy_pj;
  for (std::size_t t = 0; t < costs.size(); ++t) {
    const std::int64_t times = run.grid->tiles[t].times;
    m.dram_bytes += costs[t].dram_bytes * times;
    m.energy_pj += costs[t].energy_pj * static_cast<double>(times);
    cost.work += costs[t].work * times;
    for (const std::int64_t n :
         mode_switches(placement_of(run, t).modes, run.lowering->steps_per_tile))
      cost.mode_switches += n * times;
  }
  m.energy_pj += static_energy(*run.hardware, m.latency_cycles);
  for (const PlannedPlacement* placed : run.placements) {
    Size peak = 0;
    for (const Size height : heights(placed->problem, placed->placement)) peak += height;
    m.peak_bytes = std::max(m.peak_bytes, peak);
  }
  if (m.latency_cycles > 0)
    m.peak_bandwidth = static_cast<double>(m.dram_bytes) / static_cast<double>(m.latency_cycles);
  cost.dma_cycles = simulated.busy[dma_resource] + resident.busy;
  for (std::size_t r = 1; r < simulated.busy.size(); ++r) cost.compute_cycles += simulated.busy[r];
  if (m.latency_cycles > 0)
    cost.utilisation =
        static_cast<double>(cost.work) /
        (static_cast<double>(m.latency_cycles) * static_cast<double>(mac_cells(*run.hardware)));
  return cost;
}

}  // namespace tessera
