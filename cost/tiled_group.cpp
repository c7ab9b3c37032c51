#include "cost/tiled_group.h"

#include <algorithm>
#include <limits>

#include "cost/group_parts.h"
#include "cost/group_tasks.h"
#include "cost/mapping.h"
#include "cost/tile_cost.h"
#include "cost/tile_sequence.h"
#include "cost/transfer.h"
#include "cost/whole_number.h"
#include "model/derived.h"
#include "tessera/check.h"
#include "tiling/engine_choice.h"
#include "tiling/walk.h"

namespace tessera::cost {
namespace {

constexpr std::size_t dma_resource = 0;

/// The tasks in issue order: each op, then the transfers that may start once it has ended.
///
/// An op with weight slices has two tasks, and so has the transfer of its weights. The op begins
/// when the first slice arrives; its work on the last slice begins when all have arrived. Slices
/// have one size and arrive evenly, so an op that does not wait for the last slice does not wait
/// for one in between. With n slices the op ends at the later of "first slice + all work" and "last
/// slice + 1/n of the work".
///
/// With trailing ops, the leading ops and their loads are issued a tile early. The commands of a
/// slot are the leading ops of one tile, then the trailing ops of the tile before. A slot ends when
/// the on-chip memories have served both.
class Skeleton {
 public:
  /// `shared`: memories that may delay a slot, in placement numbering. Names appear in traces.
  Skeleton(const TiledGroup& run, const GroupTasks& plan, const std::vector<MemoryIndex>& shared,
           bool named)
      : plan_(plan), named_(named) {
    const tiling::Subgraph& part = *run.subgraph;
    const auto steps = static_cast<std::size_t>(plan.steps);
    std::vector<bool> in_slices(steps, false);
    for (const Move& move : plan.moves)
      if (move.in_slices) in_slices[static_cast<std::size_t>(move.use)] = true;
    op_begin.resize(steps);
    op_end.resize(steps);
    move_begin.resize(plan.moves.size());
    move_end.resize(plan.moves.size());
    for (Step step = 0; step < plan.steps; ++step) {
      const auto k = static_cast<std::size_t>(step);
      // Not taken from a tile's cost: the op may have no work in that tile.
      const std::size_t resource =
          1 + tiling::queue_of(*part.network, part.op(step), *run.hardware);
      op_begin[k] = op_end[k] = add(
          {.name = name("", part.op(step).name, ""), .resource = resource, .lead = early(step)});
      if (in_slices[k]) {
        op_end[k] = add({.name = name("", part.op(step).name, ", last channels"),
                         .resource = resource,
                         .lead = early(step)});
        after(op_end[k], op_begin[k]);
      }
      if (step == 0) add_prefetches(part);
      add_stores(part, step, true);
      add_loads(part, step);
      add_stores(part, step, false);
    }
    order_ops();
    for (std::size_t m = 0; m < shared.size(); ++m) serve(1 + run.hardware->engines.size() + m);
    for (std::size_t m = 0; m < plan.moves.size(); ++m) connect(m);
    // Direct accesses begin with the op.
    for (std::size_t m = 0; m < plan.moves.size(); ++m)
      if (plan.moves[m].direct)
        tasks[move_begin[m]].after =
            tasks[op_begin[static_cast<std::size_t>(plan.moves[m].use)]].after;
  }

  std::vector<PipelineTask> tasks;
  // Each is one task or two: the first part and the rest.
  std::vector<std::size_t> op_begin;  ///< per step
  std::vector<std::size_t> op_end;
  std::vector<std::size_t> move_begin;  ///< in the order of the group's tasks
  std::vector<std::size_t> move_end;
  // Of each memory that may delay a slot.
  std::vector<std::size_t> serves_leading;
  std::vector<std::size_t> serves_trailing;

 private:
  [[nodiscard]] std::string name(const char* before, const std::string& what,
                                 const char* behind) const {
    return named_ ? before + what + behind : std::string();
  }
  std::size_t add(PipelineTask task) {
    tasks.push_back(std::move(task));
    return tasks.size() - 1;
  }
  void after(std::size_t task, std::size_t other, int tiles_back = 0) {
    tasks[task].after.push_back({other, tiles_back});
  }

  /// How many tiles the step is issued ahead of the trailing ops.
  [[nodiscard]] int early(Step step) const {
    return plan_.line.any_trails() && !plan_.line.trails(step) ? 1 : 0;
  }

  /// Leading ops run strictly one after the other, and so do trailing ops.
  void order_ops() {
    const Step last = plan_.steps - 1;
    const Step leading = plan_.line.leading;
    const auto waits = [&](Step step, Step before, int tiles_back) {
      after(op_begin[static_cast<std::size_t>(step)], op_end[static_cast<std::size_t>(before)],
            tiles_back);
    };
    waits(0, leading - 1, 1);
    for (Step step = 1; step <= last; ++step) waits(step, step - 1, 0);
    if (!plan_.line.any_trails()) return;
    waits(leading, last, 1);
    // Tensors between leading and trailing ops have two copies.
    waits(0, last, 2);
  }

  /// The memory service of a slot begins with the slot, and the next slot waits for it.
  void serve(std::size_t resource) {
    const auto first = [&](Step step) { return op_begin[static_cast<std::size_t>(step)]; };
    const std::size_t leads = first(0);
    const std::size_t trails = first(plan_.line.leading);
    const std::size_t leading = add({.resource = resource, .lead = 1, .after = tasks[leads].after});
    const std::size_t trailing = add({.resource = resource, .after = tasks[trails].after});
    after(leads, leading, 1);
    after(leads, trailing, 2);
    after(trails, leading);
    after(trails, trailing, 1);
    serves_leading.push_back(leading);
    serves_trailing.push_back(trailing);
  }

  /// Direct accesses come after all dependencies of their op, and before loads of later tiles.
  void add_loads(const tiling::Subgraph& part, Step step) {
    const bool direct = std::ranges::any_of(plan_.moves, &Move::direct);
    if (!direct) return add_loads(part, step, [](const Move&, int) { return true; });
    add_loads(part, step, [](const Move& move, int lead) { return !move.direct && lead <= 1; });
    add_loads(part, step, [](const Move& move, int) { return move.direct; });
    add_loads(part, step, [](const Move& move, int lead) { return !move.direct && lead > 1; });
  }

  /// Of the moves selected by `meant`.
  template <typename Meant>
  void add_loads(const tiling::Subgraph& part, Step step, const Meant& meant) {
    // The rest of the weights comes after all other dependencies of their op.
    std::vector<std::size_t> waiting;
    const auto flush = [&] {
      for (const std::size_t m : waiting) {
        const PipelineTask& first = tasks[move_begin[m]];
        move_end[m] = add({.name = name("", first.name, ", the rest"),
                           .resource = dma_resource,
                           .lead = first.lead});
        after(move_end[m], move_begin[m]);
      }
      waiting.clear();
    };
    for (std::size_t m = 0; m < plan_.moves.size(); ++m) {
      const Move& move = plan_.moves[m];
      if ((!move.load && !move.direct) || move.prefetch) continue;
      const tiling::Timeline::Position at = plan_.line.of(move.slack.start_after);
      const int lead = at.tiles_back + early(at.step);
      if (at.step != step || !meant(move, lead)) continue;
      if (!waiting.empty() && plan_.moves[waiting.front()].use != move.use) flush();
      const char* const what = move.direct ? (move.load ? "read " : "write ") : "load ";
      move_begin[m] = move_end[m] = add({.name = name(what, part.tensor(move.local).name, ""),
                                         .resource = dma_resource,
                                         .lead = lead});
      if (move.in_slices) waiting.push_back(m);
    }
    flush();
  }

  /// Weight prefetches of the next group come after everything issued before the first op, which
  /// has no dependencies.
  void add_prefetches(const tiling::Subgraph& part) {
    for (std::size_t m = 0; m < plan_.moves.size(); ++m)
      if (plan_.moves[m].prefetch)
        move_begin[m] = move_end[m] =
            add({.name = name("load ahead ", part.tensor(plan_.moves[m].local).name, ""),
                 .resource = dma_resource,
                 .lead = early(0)});
  }

  /// Stores that start at once come first, since the next load may reuse their address.
  void add_stores(const tiling::Subgraph& part, Step step, bool at_once) {
    for (std::size_t m = 0; m < plan_.moves.size(); ++m) {
      const Move& move = plan_.moves[m];
      if (move.load || move.direct || move.use != step) continue;
      if (leaves_at_once(move) != at_once) continue;
      move_begin[m] = move_end[m] = add({.name = name("store ", part.tensor(move.local).name, ""),
                                         .resource = dma_resource,
                                         .lead = early(step)});
    }
  }

  [[nodiscard]] bool leaves_at_once(const Move& move) const {
    return !move.trails && plan_.line.among_leading(move.slack.end_before) ==
                               plan_.line.among_leading(move.use) + 1;
  }

  void connect(std::size_t m) {
    const Move& move = plan_.moves[m];
    if (move.prefetch) return;
    const auto use = static_cast<std::size_t>(move.use);
    const auto has_ended_before = [&](Step step) {
      const tiling::Timeline::Position next = plan_.line.of(step);
      after(op_begin[static_cast<std::size_t>(next.step)], move_begin[m], -next.tiles_back);
    };
    if (move.direct) {
      has_ended_before(move.slack.end_before);
    } else if (move.load) {
      const tiling::Timeline::Position start = plan_.line.of(move.slack.start_after);
      const std::size_t freed = op_end[static_cast<std::size_t>(start.step)];
      if (!move.resident) {
        after(move_begin[m], freed, start.tiles_back);
        wait_for_stores(m);
      }
      after(op_begin[use], move_begin[m]);
      if (move_end[m] != move_begin[m]) after(op_end[use], move_end[m]);
    } else {
      after(move_begin[m], op_end[use]);
      has_ended_before(move.slack.end_before);
    }
  }

  /// A buffer that dies where the lifetime of the loaded buffer begins may have the same address,
  /// so its store has to end first. (If it dies earlier, an op has waited for the store.)
  void wait_for_stores(std::size_t load) {
    if (plan_.moves[load].trails) return;
    const tiling::Timeline& line = plan_.line;
    const Step begins = line.among_leading(plan_.moves[load].slack.start_after) + 1;
    for (std::size_t m = 0; m < plan_.moves.size(); ++m) {
      const Move& store = plan_.moves[m];
      if (store.load || store.direct || store.trails) continue;
      const Step apart = line.among_leading(store.slack.end_before) - begins;
      if (apart >= 0 && apart % line.leading == 0)
        after(move_begin[load], move_begin[m], static_cast<int>(apart / line.leading));
    }
  }

  const GroupTasks& plan_;
  bool named_;
};

std::vector<TileCost> tile_costs(const TiledGroup& run, const GroupTasks& plan,
                                 const Links& links) {
  std::vector<TileCost> costs;
  for (std::size_t t = 0; t < run.grid->tiles.size(); ++t) {
    if (run.poll != nullptr) (*run.poll)(2);  // microseconds each
    costs.push_back(tile_cost(run, plan, t, links));
  }
  return costs;
}

/// Memories that in some slot may take longer than the slot's ops.
std::vector<MemoryIndex> shared_memories(const GroupTasks& plan,
                                         const std::vector<TileCost>& costs) {
  std::vector<MemoryIndex> shared;
  if (!plan.line.any_trails()) return shared;
  // The minimum over all tiles.
  MemoryService ops{std::numeric_limits<Cycles>::max(), std::numeric_limits<Cycles>::max()};
  for (const TileCost& cost : costs) {
    MemoryService tile;
    for (std::size_t k = 0; k < cost.ops.size(); ++k)
      (plan.line.trails(static_cast<Step>(k)) ? tile.trailing : tile.leading) += cost.ops[k].cycles;
    ops = {std::min(ops.leading, tile.leading), std::min(ops.trailing, tile.trailing)};
  }
  for (MemoryIndex m = 0; m < costs.front().served.size(); ++m) {
    MemoryService most;
    for (const TileCost& cost : costs)
      most = {std::max(most.leading, cost.served[m].leading),
              std::max(most.trailing, cost.served[m].trailing)};
    if (whole_sum(most.leading, most.trailing, "cycles") > std::max(ops.leading, ops.trailing))
      shared.push_back(m);
  }
  return shared;
}

Pipeline build_pipeline(const TiledGroup& run, const tiling::TileWalk& walk, const GroupTasks& plan,
                        const std::vector<TileCost>& costs, const std::vector<MemoryIndex>& in_use,
                        const Links& links, Skeleton skeleton) {
  Pipeline pipeline;
  pipeline.resources.push_back({"dma", static_cast<int>(run.hardware->dma.channels)});
  const std::vector<Engine>& engines = run.hardware->engines;
  for (std::size_t e = 0; e < engines.size(); ++e) {
    const std::size_t queue = tiling::queue_of(*run.hardware, e);
    pipeline.resources.push_back({queue == e ? engines[e].name : "", 1});
    if (queue != e) pipeline.resources[1 + queue].name += ", " + engines[e].name;
  }
  for (const MemoryIndex m : in_use)
    pipeline.resources.push_back({run.lowering->problem.memories[m].name, 1});
  pipeline.tasks = std::move(skeleton.tasks);
  const bool shared = run.hardware->dma.channels > 1;  // a single channel does not share the memory
  if (shared) {
    // Buses: loads, stores with a separate path, weights from a separate memory.
    constexpr std::size_t weight_bus = 2;
    pipeline.buses = links.apart ? weight_bus + 1 : links.data.two_ways ? 2 : 1;
    for (std::size_t m = 0; m < plan.moves.size(); ++m)
      for (const std::size_t task : {skeleton.move_begin[m], skeleton.move_end[m]}) {
        const Move& move = plan.moves[m];
        pipeline.tasks[task].bus = links.apart && run.subgraph->tensors[move.local].weight
                                       ? weight_bus
                                   : move.load || !links.data.two_ways ? 0U
                                                                       : 1U;
      }
  }
  /// All cycles go to the first task, except for the rest, which has a task of its own.
  const auto put = [](std::vector<Cycles>& cycles, std::size_t begin, std::size_t end, Cycles all,
                      Cycles later) {
    cycles[begin] = begin == end ? all : all - later;
    if (begin != end) cycles[end] = later;
  };
  for (const tiling::TileVisit& visit : walk.visits()) {
    const TileCost& cost = costs[visit.tile];
    std::vector<Cycles>& durations = pipeline.classes.emplace_back(pipeline.tasks.size(), 0);
    for (std::size_t k = 0; k < cost.ops.size(); ++k)
      put(durations, skeleton.op_begin[k], skeleton.op_end[k], cost.ops[k].cycles,
          cost.ops[k].last);
    for (std::size_t m = 0; m < cost.moves.size(); ++m)
      if (is_moved(walk, plan.moves[m], visit))
        put(durations, skeleton.move_begin[m], skeleton.move_end[m], cost.moves[m].transfer.cycles,
            cost.moves[m].later);
    for (std::size_t m = 0; m < in_use.size(); ++m) {
      durations[skeleton.serves_leading[m]] = cost.served[in_use[m]].leading;
      durations[skeleton.serves_trailing[m]] = cost.served[in_use[m]].trailing;
    }
    if (!shared) continue;
    std::vector<Cycles>& bus = pipeline.bus_cycles.emplace_back(pipeline.tasks.size(), 0);
    for (std::size_t m = 0; m < cost.moves.size(); ++m)
      if (is_moved(walk, plan.moves[m], visit))
        put(bus, skeleton.move_begin[m], skeleton.move_end[m], cost.moves[m].transfer.shared,
            cost.moves[m].later_shared);
  }
  set_sequence(walk, *run.grid, pipeline);
  return pipeline;
}

/// Bytes and bus cycles of each command; split between the two commands of a split task.
std::vector<std::vector<TaskFlow>> flows_of(const tiling::TileWalk& walk, const GroupTasks& plan,
                                            const std::vector<TileCost>& costs,
                                            const Skeleton& skeleton) {
  std::vector<std::vector<TaskFlow>> flows;
  for (const tiling::TileVisit& visit : walk.visits()) {
    const TileCost& cost = costs[visit.tile];
    std::vector<TaskFlow>& of = flows.emplace_back(skeleton.tasks.size());
    for (std::size_t k = 0; k < cost.ops.size(); ++k) {
      const OpCost& op = cost.ops[k];
      const bool two = skeleton.op_begin[k] != skeleton.op_end[k];
      const double last = two && op.cycles > 0 ? op.energy_pj * static_cast<double>(op.last) /
                                                     static_cast<double>(op.cycles)
                                               : 0;
      of[skeleton.op_end[k]].energy_pj += last;
      of[skeleton.op_begin[k]].energy_pj += op.energy_pj - last;
    }
    for (std::size_t m = 0; m < cost.moves.size(); ++m) {
      if (!is_moved(walk, plan.moves[m], visit)) continue;
      const MoveCost& move = cost.moves[m];
      const bool two = skeleton.move_begin[m] != skeleton.move_end[m];
      const double part =
          two && move.transfer.shared > 0
              ? static_cast<double>(move.later_shared) / static_cast<double>(move.transfer.shared)
              : 0;
      const auto later = static_cast<Size>(part * static_cast<double>(move.transfer.bytes));
      const bool load = plan.moves[m].load;
      if (two) of[skeleton.move_end[m]] = {later, move.later_shared, load, part * move.energy_pj};
      of[skeleton.move_begin[m]] = {move.transfer.bytes - later,
                                    move.transfer.shared - (two ? move.later_shared : 0), load,
                                    (1 - part) * move.energy_pj};
    }
  }
  return flows;
}

std::vector<TaskMeaning> meanings_of(const Skeleton& skeleton) {
  std::vector<TaskMeaning> meanings(skeleton.tasks.size());
  const auto set = [&](TaskMeaning::Kind kind, const std::vector<std::size_t>& begins,
                       const std::vector<std::size_t>& ends) {
    for (std::size_t k = 0; k < begins.size(); ++k) {
      const bool two = begins[k] != ends[k];
      meanings[begins[k]] = {.kind = kind, .index = k, .rest = false, .two = two};
      if (two) meanings[ends[k]] = {.kind = kind, .index = k, .rest = true, .two = true};
    }
  };
  set(TaskMeaning::Kind::op, skeleton.op_begin, skeleton.op_end);
  set(TaskMeaning::Kind::move, skeleton.move_begin, skeleton.move_end);
  return meanings;
}

/// Rejects values whose sum over all tiles could overflow, even without any overlap.
void require_countable(const tiling::TileWalk& walk, const GroupTasks& plan,
                       const std::vector<TileCost>& costs) {
  double cycles = 0;
  double bytes = 0;
  double work = 0;
  for (const tiling::TileVisit& visit : walk.visits()) {
    const TileCost& cost = costs[visit.tile];
    const auto times = static_cast<double>(visit.times);
    for (const OpCost& op : cost.ops) {
      cycles += static_cast<double>(op.cycles) * times;
      work += static_cast<double>(op.work) * times;
    }
    for (std::size_t m = 0; m < cost.moves.size(); ++m) {
      if (!is_moved(walk, plan.moves[m], visit)) continue;
      cycles += static_cast<double>(cost.moves[m].transfer.cycles) * times;
      bytes += static_cast<double>(cost.moves[m].transfer.bytes) * times;
    }
  }
  static_cast<void>(whole_number(cycles, "cycles"));
  static_cast<void>(whole_number(bytes, "bytes"));
  static_cast<void>(whole_number(work, "multiplications"));
}

/// Distributes the latency over the ops: compute cycles first, then the rest in proportion to the
/// transfer cycles beyond them. With parallel ops the latency may be below the sum of compute
/// cycles; then it is distributed in proportion to these.
void share_latency(Cycles latency, const std::vector<Cycles>& computing,
                   const std::vector<Cycles>& moving, std::vector<LayerCost>& layers) {
  Cycles all = 0;
  std::vector<Cycles> waiting(layers.size());
  Cycles all_waiting = 0;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    all += computing[k];
    waiting[k] = std::max<Cycles>(0, moving[k] - computing[k]);
    all_waiting += waiting[k];
  }
  const bool in_turn = all <= latency;
  const std::vector<Cycles>& weights = in_turn && all_waiting > 0 ? waiting : computing;
  const Cycles all_weights = in_turn && all_waiting > 0 ? all_waiting : all;
  const Cycles shared = in_turn ? latency - all : latency;
  Cycles sum = 0;
  Cycles given = 0;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    sum += weights[k];
    // Rounded from cumulative sums, so that the shares add up.
    const double share = all_weights > 0
                             ? static_cast<double>(sum) / static_cast<double>(all_weights)
                             : static_cast<double>(k + 1) / static_cast<double>(layers.size());
    const Cycles until =
        k + 1 == layers.size() ? shared : static_cast<Cycles>(static_cast<double>(shared) * share);
    layers[k].cycles = until - given + (in_turn ? computing[k] : 0);
    given = until;
  }
}

std::vector<LayerCost> layer_costs(const TiledGroup& run, const tiling::TileWalk& walk,
                                   const GroupTasks& plan, const std::vector<TileCost>& costs,
                                   Cycles latency) {
  const auto steps = static_cast<std::size_t>(plan.steps);
  std::vector<LayerCost> layers(steps);
  std::vector<Cycles> computing(steps, 0);
  std::vector<Cycles> moving(steps, 0);
  std::vector<Cycles> longest(steps, 0);
  const auto add = [&](std::size_t step, const MoveCost& move, std::int64_t times) {
    moving[step] += move.transfer.cycles * times;
    layers[step].offchip_bytes += move.transfer.bytes * times;
    layers[step].energy_pj += move.energy_pj * static_cast<double>(times);
  };
  for (const tiling::TileVisit& visit : walk.visits()) {
    const std::int64_t times = visit.times;
    const TileCost& cost = costs[visit.tile];
    for (std::size_t k = 0; k < steps; ++k) {
      const OpCost& op = cost.ops[k];
      layers[k].compute_cycles += op.compute * times;
      layers[k].energy_pj += op.energy_pj * static_cast<double>(times);
      computing[k] += op.cycles * times;
      if (op.cycles * times > longest[k]) {
        longest[k] = op.cycles * times;
        layers[k].limiter = op.limiter;
      }
    }
    for (std::size_t m = 0; m < plan.moves.size(); ++m)
      if (is_moved(walk, plan.moves[m], visit))
        add(static_cast<std::size_t>(plan.moves[m].use), cost.moves[m], times);
  }
  for (std::size_t k = 0; k < steps; ++k)
    if (moving[k] > computing[k]) layers[k].limiter = Limiter::dma;
  share_latency(latency, computing, moving, layers);
  for (LayerCost& layer : layers) layer.energy_pj += static_energy(*run.hardware, layer.cycles);
  return layers;
}

/// The trailing ops of the last tile run in a slot of their own. It begins with the mode switches
/// of a first step, which delay the first of these ops (tile_cost.cpp).
void add_last_switches(const TiledGroup& run, const GroupTasks& plan, GroupCost& cost) {
  const std::int64_t switched = mode_switches(run, 0).front();
  const double energy = static_cast<double>(switched) * run.hardware->mode_switch.energy_pj;
  cost.mode_switches += switched;
  cost.metrics.energy_pj += energy;
  cost.layers[static_cast<std::size_t>(plan.line.leading)].energy_pj += energy;
}

/// Multiply-accumulates per cycle of the first array.
double peak_work(const Hardware& hardware) {
  for (const Engine& engine : hardware.engines)
    if (engine.kind == EngineKind::mac_array) return peak_macs(engine);
  return 1;
}

}  // namespace

std::string_view to_string(Limiter limiter) {
  switch (limiter) {
    case Limiter::mac:
      return "mac";
    case Limiter::weights:
      return "weights";
    case Limiter::vector:
      return "vector";
    case Limiter::sram:
      return "sram";
    case Limiter::dma:
      return "dma";
  }
  return "mac";
}

GroupSchedule group_schedule(const TiledGroup& run) {
  const Links links = links_of(*run.hardware);
  const GroupTasks plan = group_tasks(run);
  const tiling::TileWalk walk(*run.grid, *run.lowering);
  const std::vector<TileCost> costs = tile_costs(run, plan, links);
  const std::vector<MemoryIndex> shared = shared_memories(plan, costs);
  const Skeleton skeleton(run, plan, shared, true);
  GroupSchedule schedule;
  schedule.pipeline = build_pipeline(run, walk, plan, costs, shared, links, skeleton);
  schedule.commanded = 1 + run.hardware->engines.size();
  schedule.flows = flows_of(walk, plan, costs, skeleton);
  for (const tiling::TileVisit& visit : walk.visits()) schedule.tile_of_class.push_back(visit.tile);
  schedule.op_ends.resize(skeleton.tasks.size());
  for (std::size_t k = 0; k < skeleton.op_end.size(); ++k)
    schedule.op_ends[skeleton.op_end[k]] = static_cast<Step>(k);
  schedule.meanings = meanings_of(skeleton);
  for (const tiling::TileVisit& visit : walk.visits()) {
    std::vector<std::size_t>& engines = schedule.engines.emplace_back();
    std::vector<Cycles>& switching = schedule.switching.emplace_back();
    for (const OpCost& op : costs[visit.tile].ops) {
      engines.push_back(op.engine);
      switching.push_back(op.switching);
    }
  }
  return schedule;
}

GroupCost group_cost(const TiledGroup& run) {
  const Links links = links_of(*run.hardware);
  const GroupTasks plan = group_tasks(run);
  const std::vector<TileCost> costs = tile_costs(run, plan, links);
  const tiling::TileWalk walk(*run.grid, *run.lowering);
  require_countable(walk, plan, costs);
  const std::vector<MemoryIndex> shared = shared_memories(plan, costs);
  const Pipeline pipeline =
      build_pipeline(run, walk, plan, costs, shared, links, Skeleton(run, plan, shared, false));
  const PipelineRun simulated = simulate(pipeline, {});

  GroupCost cost;
  Metrics& m = cost.metrics;
  m.latency_cycles = simulated.cycles;
  cost.layers = layer_costs(run, walk, plan, costs, m.latency_cycles);
  for (const LayerCost& layer : cost.layers) m.dram_bytes += layer.offchip_bytes;
  for (const tiling::TileVisit& visit : walk.visits()) {
    const std::int64_t times = visit.times;
    const TileCost& tile = costs[visit.tile];
    for (const OpCost& op : tile.ops) {
      m.energy_pj += op.energy_pj * static_cast<double>(times);
      cost.work += op.work * times;
    }
    for (std::size_t k = 0; k < tile.moves.size(); ++k)
      if (is_moved(walk, plan.moves[k], visit))
        m.energy_pj += tile.moves[k].energy_pj * static_cast<double>(times);
    for (const std::int64_t n : mode_switches(run, visit.tile)) cost.mode_switches += n * times;
  }
  if (plan.line.any_trails()) add_last_switches(run, plan, cost);
  m.energy_pj += static_energy(*run.hardware, m.latency_cycles);
  for (const PlannedPlacement* placed : run.placements) {
    Size peak = 0;
    for (const Size height : heights(placed->problem, placed->placement)) peak += height;
    m.peak_bytes = std::max(m.peak_bytes, peak);
  }
  if (m.latency_cycles > 0)
    m.peak_bandwidth = static_cast<double>(m.dram_bytes) / static_cast<double>(m.latency_cycles);
  cost.dma_cycles = simulated.busy[dma_resource];
  for (std::size_t e = 0; e < run.hardware->engines.size(); ++e)
    cost.compute_cycles += simulated.busy[1 + e];
  if (m.latency_cycles > 0)
    cost.utilisation = static_cast<double>(cost.work) /
                       (static_cast<double>(m.latency_cycles) * peak_work(*run.hardware));
  return cost;
}

}  // namespace tessera::cost
