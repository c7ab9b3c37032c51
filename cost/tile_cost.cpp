#include "cost/tile_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cost/compute.h"
#include "cost/group_parts.h"
#include "cost/whole_number.h"
#include "facts/modes.h"
#include "model/off_chip.h"
#include "model/pinned.h"
#include "tiling/ceil_div.h"
#include "tiling/joined.h"

namespace tessera::cost {
namespace {

/// Bytes an op reads from and writes to a local tensor.
struct Access {
  std::size_t local = 0;
  std::size_t share = 0;
  bool weight = false;
  double read = 0;
  double written = 0;
};

/// Every operand is read at least once; an array reads it once per block or step that needs it.
/// Each tensor is listed once.
std::vector<Access> accesses(const TiledGroup& run, const tiling::TileRegions& tile, Step step,
                             const ComputeCost& op) {
  const tiling::Subgraph& part = *run.subgraph;
  std::vector<Access> list;
  list.reserve(part.operands_at[static_cast<std::size_t>(step)].size() +
               part.made_at[static_cast<std::size_t>(step)].size());
  const bool joins = tiling::joins_channels(part.op(step));
  for (const tiling::LocalOperand& operand : part.operands_at[static_cast<std::size_t>(step)]) {
    if (run.lowering->is_direct(operand.local)) continue;
    if (joins && part.tensors[operand.local].in_place_of == output_of(part, step)) continue;
    auto bytes = static_cast<double>(box_bytes(part, operand.local, tile.needed[operand.local]));
    if (operand.position == 0) bytes = std::max(bytes, op.input_bytes);
    if (operand.position == 1) bytes = std::max(bytes, op.weight_bytes);
    const auto known = std::ranges::find(list, operand.local, &Access::local);
    if (known == list.end())
      list.push_back({.local = operand.local,
                      .share = run.lowering->share_of(operand.local, step),
                      .weight = part.tensors[operand.local].weight,
                      .read = bytes});
    else
      known->read = std::max(known->read, bytes);
  }
  for (const std::size_t local : part.made_at[static_cast<std::size_t>(step)]) {
    if (run.lowering->is_direct(local)) continue;
    Size bytes = 0;
    if (joins) {
      for (const tiling::Box& copied : tiling::copied_boxes(part, tile, step))
        bytes += box_bytes(part, local, copied);
    } else {
      bytes = box_bytes(part, local, tile.fresh[local]);
    }
    list.push_back({.local = local, .written = static_cast<double>(bytes)});
  }
  return list;
}

/// Calls what() with each on-chip memory, in placement numbering, and the cycles it needs to serve
/// the reads and writes of the op.
template <typename What>
void each_serving(const TiledGroup& run, const std::vector<Access>& list, const ChipPlaces& places,
                  const What& what) {
  const Hardware& hardware = *run.hardware;
  std::size_t index = 0;
  for (const HardwareMemory& memory : hardware.memories) {
    if (memory.offchip) continue;
    const std::size_t m = index++;
    double read = 0;
    double written = 0;
    ServedBytes served;
    for (const Access& access : list) {
      if (places.of(access.local, access.share).memory != m) continue;
      read += access.read;
      written += access.written;
      (access.weight ? served.weights : served.input) += access.read;
    }
    served.output = written;
    what(m, std::max(serving_cycles(memory, hardware.clock_hz, read, written),
                     rated_cycles(memory, hardware.clock_hz, served)));
  }
}

/// Cycles in which the on-chip memories serve the reads and writes of the op.
double memory_cycles(const TiledGroup& run, const std::vector<Access>& list,
                     const ChipPlaces& places) {
  double most = 0;
  each_serving(run, list, places,
               [&](std::size_t, double cycles) { most = std::max(most, cycles); });
  return most;
}

/// Adds the memory service of an op that runs in parallel to others.
void add_served(const TiledGroup& run, const tiling::TileRegions& tile, Step step,
                const ComputeCost& compute, const ChipPlaces& places, TileCost& cost) {
  const bool trails = run.lowering->timeline().trails(step);
  each_serving(run, accesses(run, tile, step, compute), places,
               [&](std::size_t memory, double cycles) {
                 MemoryService& served = cost.served[memory];
                 Cycles& of = trails ? served.trailing : served.leading;
                 of = whole_sum(of, rounded_up(cycles, "cycles"), "cycles");
               });
}

/// `off_chip`: blocks wait for off-chip memory.
Limiter limiter_of(const ComputeCost& op, EngineKind kind, bool off_chip) {
  if (kind == EngineKind::vector) return Limiter::vector;
  switch (op.bound_by) {
    case BoundBy::mac:
      return Limiter::mac;
    case BoundBy::weights:
      return Limiter::weights;
    case BoundBy::output:
      return Limiter::vector;
    case BoundBy::port:
      return off_chip ? Limiter::dma : Limiter::sram;
  }
  return Limiter::mac;
}

}  // namespace

const Placement& placement_of(const TiledGroup& run, std::size_t tile) {
  return run.placements[run.placements.size() == 1 ? 0 : tile]->placement;
}

std::vector<std::int64_t> mode_switches(const TiledGroup& run, std::size_t tile) {
  return facts::mode_switches(placement_of(run, tile).modes, run.lowering->steps_per_tile);
}

ChipPlaces::ChipPlaces(const TiledGroup& run, const Placement& placement)
    : shares_(run.lowering->most_shares), places_(run.subgraph->tensors.size() * shares_) {
  std::vector<AccessEnergy> energies;
  for (const HardwareMemory& memory : run.hardware->memories)
    if (!memory.offchip) energies.push_back(memory.energy);
  for (std::size_t b = 0; b < run.lowering->buffers.size(); ++b) {
    const tiling::LoweredBuffer& buffer = run.lowering->buffers[b];
    const MemoryIndex memory = placement.places[b].memory;
    if (!tiling::is_whole_or_tile(buffer.role)) continue;
    places_[buffer.tensor * shares_ + buffer.share] = {memory, energies[memory]};
  }
  for (std::size_t t = 0; t < run.subgraph->tensors.size(); ++t)
    if (const std::optional<MemoryIndex> memory = run.subgraph->tensors[t].pinned)
      places_[t * shares_] = {*memory, energies[*memory]};
  for (const auto& [local, place] : run.lowering->in_place)
    for (std::size_t share = 0; share < shares_; ++share)
      places_[local * shares_ + share] = places_[place * shares_ + share];
}

namespace {

/// The cycles of the op that depend on the last of its weight slices.
Cycles after_last_slice(Cycles busy, const ComputeCost& op, std::int64_t slices) {
  const double known = op.with_known_weights;
  const double share = known + (1 - known) / static_cast<double>(slices);
  // Thirds of whole numbers may exceed whole numbers by a rounding error.
  constexpr double exact = 1 - 1e-12;
  return std::min(busy, static_cast<Cycles>(std::ceil(static_cast<double>(busy) * share * exact)));
}

/// Adds the cost of an on-chip copy: DMA set-up, and service by the source and destination
/// memories.
void add_copy(const Hardware& hardware, double bytes, const OnChip& from, const OnChip& to,
              Cycles& cycles, double& energy_pj) {
  const auto memory = [&](MemoryIndex m) -> const HardwareMemory& {
    return hardware.memories[memory_on_chip(hardware, m)];
  };
  const double serving =
      from.memory == to.memory
          ? serving_cycles(memory(from.memory), hardware.clock_hz, bytes, bytes)
          : std::max(serving_cycles(memory(from.memory), hardware.clock_hz, bytes, 0),
                     serving_cycles(memory(to.memory), hardware.clock_hz, 0, bytes));
  cycles = whole_sum(cycles, hardware.dma.setup, "cycles");
  cycles = whole_sum(cycles, rounded_up(serving, "cycles"), "cycles");
  energy_pj += bytes * (from.energy.read_pj + to.energy.write_pj);
}

/// Whole bricks are copied.
double bytes_on_chip(const tiling::Subgraph& part, std::size_t local, const tiling::Box& box) {
  return static_cast<double>(
      part.tensors[local].bytes.of(tiling::volume(box, tiling::brick_of(part, local))));
}

/// A copy on chip before an op.
struct OpCopy {
  bool made = false;  ///< by an op of the group
  double bytes = 0;
  OnChip from;
  OnChip to;
};

std::vector<OpCopy> copies_before(const TiledGroup& run, const GroupTasks& tasks,
                                  const tiling::TileRegions& tile, Step step,
                                  const ChipPlaces& places) {
  const tiling::Subgraph& part = *run.subgraph;
  const auto made = [&](std::size_t local) { return part.tensors[local].producer.has_value(); };
  std::vector<OpCopy> copies;
  for (const ChipCopy& copy : tasks.copies) {
    if (copy.before != step || tile.fresh[copy.local].none) continue;
    copies.push_back({made(copy.local), bytes_on_chip(part, copy.local, tile.fresh[copy.local]),
                      places.of(copy.local, 0), places.of(copy.local, copy.share)});
  }
  for (const ChipCopy& copy : tasks.halos) {
    if (copy.before != step) continue;
    const double bytes = bytes_on_chip(part, copy.local, tile.needed[copy.local]) -
                         bytes_on_chip(part, copy.local, tile.fresh[copy.local]);
    if (bytes <= 0) continue;
    const OnChip& at = places.of(copy.local, copy.share);
    copies.push_back({made(copy.local), bytes, at, at});
  }
  return copies;
}

/// Burst bytes per byte of the tensor, by direct access: pixel by pixel if channels are contiguous.
double direct_share(const tiling::Subgraph& part, std::size_t local, const Link& link) {
  const tiling::LocalTensor& own = part.tensors[local];
  const Tensor& tensor = part.tensor(local);
  const Layout layout = own.outside ? unbricked(link.layout) : link.layout;
  if (link.direct_run <= 0 || layout.brick > 1 || layout.order.back() != 1 ||
      !has_layout(tensor.shape))
    return 1;
  const Size pixel = tensor.shape[1] * element_bytes(tensor.type);
  return static_cast<double>(link.burst) /
         static_cast<double>(std::min(link.burst, std::max(pixel, link.direct_run)));
}

/// Cost of a direct access by the engine: whole bursts, once per block that needs them. There is no
/// set-up and no on-chip memory access.
MoveCost direct_cost(const TiledGroup& run, const tiling::TileRegions& tile, const Move& move,
                     const ComputeCost& op, const Link& link) {
  const tiling::Subgraph& part = *run.subgraph;
  const tiling::Box& box = move.load ? tile.fresh[move.local] : tile.stored[move.local];
  BurstCount count = moved(part, move.local, box, link);
  const bool again =
      std::ranges::any_of(part.operands_at[static_cast<std::size_t>(move.use)],
                          [&](const tiling::LocalOperand& operand) {
                            return operand.local == move.local && operand.position == 0;
                          });
  const auto bytes = static_cast<double>(box_bytes(part, move.local, box));
  double share = direct_share(part, move.local, link);
  if (move.load && again && bytes > 0 && op.input_bytes > bytes) share *= op.input_bytes / bytes;
  count.bursts = rounded_up(static_cast<double>(count.bursts) * share, "bursts");
  MoveCost cost;
  cost.transfer = transfer_cost(count, direct_link(link), move.load);
  cost.energy_pj = static_cast<double>(cost.transfer.bytes) *
                   (move.load ? link.energy.read_pj : link.energy.write_pj);
  return cost;
}

/// Minimum cycles of the direct accesses, over all channels.
Cycles direct_cycles(const TiledGroup& run, const GroupTasks& tasks,
                     const tiling::TileRegions& tile, Step step, const ComputeCost& compute,
                     const Links& links, double& energy_pj) {
  Cycles all = 0;
  if (run.lowering->direct.empty()) return all;
  for (const Move& move : tasks.moves) {
    if (!move.direct || move.use != step) continue;
    const MoveCost cost = direct_cost(run, tile, move, compute, links.data);
    all = whole_sum(all, cost.transfer.cycles, "cycles");
    energy_pj += cost.energy_pj;
  }
  return tiling::ceil_div(all, run.hardware->dma.channels);
}

OffChipOperands off_chip_operands(const TiledGroup& run, Step step, const Link& link) {
  OffChipOperands off_chip;
  if (run.lowering->direct.empty()) return off_chip;
  for (const tiling::LocalOperand& o : run.subgraph->operands_at[static_cast<std::size_t>(step)])
    if (o.position == 0 && run.lowering->is_direct(o.local))
      off_chip.input = direct_share(*run.subgraph, o.local, link);
  for (const std::size_t local : run.subgraph->made_at[static_cast<std::size_t>(step)])
    if (run.lowering->is_direct(local)) off_chip.output = direct_share(*run.subgraph, local, link);
  return off_chip;
}

/// Picks the computing alternative with the fewest cycles under memory bandwidth, then the one with
/// the least energy. Fills in the cost of the op alone, without the rest of its step.
ComputeCost best_choice(const TiledGroup& run, const GroupTasks& tasks,
                        const tiling::TileRegions& tile, Step step, const ChipPlaces& on_chip,
                        const Links& links, OpCost& best) {
  const tiling::Subgraph& part = *run.subgraph;
  const Hardware& hardware = *run.hardware;
  ComputeChoices ways;
  const std::optional<std::vector<Dim>> computed = computed_extents(part, tile, step);
  const OffChipOperands off_chip = off_chip_operands(run, step, links.data);
  if (computed)
    ways = compute_choices(*part.network, part.op(step), *computed, hardware, run.memo, off_chip);
  std::size_t taken = 0;
  std::pair<Cycles, double> least;  // including direct off-chip accesses
  for (std::size_t k = 0; k < ways.count; ++k) {
    const ComputeCost& compute = ways.costs[k];
    OpCost op;
    op.engine = compute.engine;
    op.compute = op.cycles = compute.cycles;
    op.limiter = limiter_of(compute, hardware.engines[op.engine].kind,
                            off_chip.input > 0 || off_chip.output > 0);
    op.work = tiling::is_product(part.op(step)) ? compute.work : 0;
    op.energy_pj = compute.energy_pj;
    if (computed) {  // an op that computes nothing reads nothing
      const std::vector<Access> list = accesses(run, tile, step, compute);
      for (const Access& access : list) {
        const AccessEnergy& energy = on_chip.of(access.local, access.share).energy;
        op.energy_pj += access.read * energy.read_pj + access.written * energy.write_pj;
      }
      const Cycles serving = rounded_up(memory_cycles(run, list, on_chip), "cycles");
      if (serving > op.cycles) {
        op.cycles = serving;
        op.limiter = Limiter::sram;
      }
    }
    std::pair now(op.cycles, op.energy_pj);
    now.first =
        std::max(now.first, direct_cycles(run, tasks, tile, step, compute, links, now.second));
    if (k > 0 && now >= least) continue;
    best = op;
    least = now;
    taken = k;
  }
  return ways.costs[taken];
}

}  // namespace

TileCost tile_cost(const TiledGroup& run, const GroupTasks& tasks, std::size_t index,
                   const Links& links) {
  const tiling::Subgraph& part = *run.subgraph;
  const Hardware& hardware = *run.hardware;
  const tiling::TileRegions& tile = run.grid->tiles[index];
  const Placement& placement = placement_of(run, index);
  const ChipPlaces on_chip(run, placement);
  const std::vector<std::int64_t> switches = mode_switches(run, index);
  TileCost cost;
  std::vector<ComputeCost> computed;
  computed.reserve(static_cast<std::size_t>(tasks.steps));
  cost.ops.reserve(static_cast<std::size_t>(tasks.steps));
  cost.moves.reserve(tasks.moves.size());
  if (tasks.line.any_trails()) cost.served.resize(run.lowering->problem.memories.size());
  for (Step step = 0; step < tasks.steps; ++step) {
    OpCost& op = cost.ops.emplace_back();
    const ComputeCost compute = best_choice(run, tasks, tile, step, on_chip, links, op);
    computed.push_back(compute);
    const Cycles busy = op.cycles;
    if (!cost.served.empty() && busy > 0) add_served(run, tile, step, compute, on_chip, cost);
    const std::int64_t switched = switches[static_cast<std::size_t>(step)];
    std::int64_t waited = switched;
    // Mode switches of leading ops overlap with trailing ops.
    if (tasks.line.any_trails() && step == tasks.line.leading)
      waited = std::accumulate(switches.begin(), switches.begin() + step + 1, std::int64_t{0});
    op.switching = waited * hardware.mode_switch.cycles;
    op.cycles = busy + op.switching;
    op.energy_pj += static_cast<double>(switched) * hardware.mode_switch.energy_pj;
    op.slices = std::min(compute.weight_parts, hardware.dma.weight_slices);
    op.last = after_last_slice(busy, compute, op.slices);
    for (const OpCopy& copy : copies_before(run, tasks, tile, step, on_chip))  // the op waits
      add_copy(hardware, copy.bytes, copy.from, copy.to, op.cycles, op.energy_pj);
  }
  for (const Move& move : tasks.moves) {
    if (move.direct) {
      cost.moves.push_back(
          direct_cost(run, tile, move, computed[static_cast<std::size_t>(move.use)], links.data));
      continue;
    }
    const Link& link = links.of(part.tensors[move.local].weight);
    MoveCost& one = cost.moves.emplace_back();
    if (move.resident && index != run.grid->at(0, 0, 0)) continue;  // only the first tile loads it
    const tiling::Box box = move.resident ? tiling::whole(part.tensor(move.local).shape)
                            : move.load   ? tile.fresh[move.local]
                                          : tile.stored[move.local];
    const OnChip& here = on_chip.of(move.local, move.share);
    const BurstCount count = moved(part, move.local, box, link);
    one.transfer = transfer_cost(count, link, move.load);
    one.energy_pj = move_energy(count, one.transfer, move.load, link, here.energy);
    one.chip_bytes = count.bytes;
    if (!move.in_slices) continue;
    const std::int64_t parts = cost.ops[static_cast<std::size_t>(move.use)].slices;
    const Cycles streaming =
        std::max<Cycles>(0, one.transfer.cycles - link.setup - link.read.latency);
    one.later = streaming - tiling::ceil_div(streaming, parts);
    one.later_shared = one.transfer.shared - tiling::ceil_div(one.transfer.shared, parts);
  }
  return cost;
}

namespace {

using Operand = TileAccess::Operand;

/// What the engine of an op reads and writes, and the copies before it.
std::vector<TileAccess> op_accesses(const TiledGroup& run, const GroupTasks& tasks,
                                    const tiling::TileRegions& tile, Step step,
                                    const ComputeCost& compute, const ChipPlaces& on_chip) {
  const Hardware& hardware = *run.hardware;
  std::vector<TileAccess> list;
  if (computed_extents(*run.subgraph, tile, step))
    for (const Access& access : accesses(run, tile, step, compute)) {
      const MemoryIndex memory = on_chip.of(access.local, access.share).memory;
      const bool write = access.written > 0;
      list.push_back({.memory = memory_on_chip(hardware, memory),
                      .engine = compute.engine,
                      .operand = write           ? Operand::output
                                 : access.weight ? Operand::weights
                                                 : Operand::input,
                      .write = write,
                      .bytes = access.read + access.written});
    }
  for (const OpCopy& copy : copies_before(run, tasks, tile, step, on_chip)) {
    TileAccess access{.memory = memory_on_chip(hardware, copy.from.memory),
                      .operand = copy.made ? Operand::output : Operand::input,
                      .bytes = copy.bytes};
    list.push_back(access);
    access.memory = memory_on_chip(hardware, copy.to.memory);
    access.write = true;
    list.push_back(access);
  }
  return list;
}

/// A transfer reads one memory and writes another one; a direct access has one end.
std::vector<TileAccess> move_accesses(const TiledGroup& run, const Move& move, const MoveCost& cost,
                                      std::size_t engine, const ChipPlaces& on_chip) {
  const Hardware& hardware = *run.hardware;
  const bool weight = run.subgraph->tensors[move.local].weight;
  const HardwareMemory* home =
      weight ? off_chip::weights(hardware) : off_chip::activations(hardware);
  // Without writable memory off chip, nothing but weights is transferred.
  if (home == nullptr) home = off_chip::weights(hardware);
  TileAccess access{.memory = off_chip::index_of(hardware, *home),
                    .operand = weight      ? Operand::weights
                               : move.load ? Operand::input
                                           : Operand::output,
                    .write = !move.load,
                    .bytes = static_cast<double>(cost.transfer.bytes)};
  if (move.direct) access.engine = engine;
  std::vector<TileAccess> list{access};
  if (move.direct) return list;
  const std::size_t here = memory_on_chip(hardware, on_chip.of(move.local, move.share).memory);
  access.memory = here;
  access.write = move.load;
  access.bytes = static_cast<double>(cost.chip_bytes);
  list.push_back(access);
  return list;
}

}  // namespace

TileAccesses tile_accesses(const TiledGroup& run, const GroupTasks& tasks, std::size_t index,
                           const TileCost& cost, const Links& links) {
  const tiling::TileRegions& tile = run.grid->tiles[index];
  const ChipPlaces on_chip(run, placement_of(run, index));
  TileAccesses all;
  for (Step step = 0; step < tasks.steps; ++step) {
    OpCost op;
    const ComputeCost compute = best_choice(run, tasks, tile, step, on_chip, links, op);
    all.compute_pj.push_back(compute.energy_pj);
    all.ops.push_back(op_accesses(run, tasks, tile, step, compute, on_chip));
  }
  for (std::size_t k = 0; k < tasks.moves.size(); ++k) {
    const Move& move = tasks.moves[k];
    all.moves.push_back(move_accesses(
        run, move, cost.moves[k], cost.ops[static_cast<std::size_t>(move.use)].engine, on_chip));
  }
  return all;
}

}  // namespace tessera::cost
