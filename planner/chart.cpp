#include "planner/chart.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "cost/transfer.h"
#include "model/derived.h"
#include "model/off_chip.h"
#include "model/op_labels.h"
#include "planner/offchip.h"
#include "planner/walk.h"
#include "tiling/subgraph.h"

namespace tessera::planner {

namespace {

constexpr std::size_t windows_of_picture = 540;
constexpr std::int64_t most_events = 400'000;  ///< per group: some tens of milliseconds
/// A tile is drawn alone if it has at least this fraction of the picture's width.
constexpr double least_share = 1.0 / 60;

io::ChartKind kind_of(const Piece& piece, const tiling::LoweredBuffer& buffer) {
  switch (buffer.role) {
    case tiling::BufferRole::kept:
    case tiling::BufferRole::passing:
      return io::ChartKind::kept;
    case tiling::BufferRole::columns:
    case tiling::BufferRole::rows:
      return io::ChartKind::halo;
    case tiling::BufferRole::tile:
      break;
  }
  const tiling::LocalTensor& tensor = piece.part.tensors[buffer.tensor];
  if (tensor.early || tensor.ahead || tensor.left) return io::ChartKind::kept;
  if (tensor.weight) return io::ChartKind::weights;
  if (buffer.copied_before) return io::ChartKind::copy;
  if (!tensor.producer) return io::ChartKind::input;
  return tensor.leaves ? io::ChartKind::output : io::ChartKind::intermediate;
}

/// One step of one tile, waiting times included: it begins at the end of the step before.
struct Phase {
  double begin = 0;
  double end = 0;
};

struct ShownTile {
  std::int64_t tile = 0;
  std::size_t placement = 0;
  std::vector<Phase> phases;  ///< per step of the tile
};

/// Tiles [first, first + count) of the group, in cycles of the group.
std::vector<ShownTile> phases_of(const SimulatedRun& run, std::int64_t first, std::int64_t count) {
  const auto steps = static_cast<std::size_t>(run.piece.lowering.steps_per_tile);
  std::vector<ShownTile> shown(static_cast<std::size_t>(count));
  std::vector<std::vector<Phase>> events(shown.size(), std::vector<Phase>(steps, {-1, -1}));
  const tiling::Timeline line = run.piece.lowering.timeline();
  // End of the tiles before `first`, separately for pipelined last ops.
  double now = 0;
  double behind = 0;
  for (const cost::PipelineEvent& e : run.events) {
    const std::optional<Step> step = run.schedule.op_ends[e.task];
    if (!step) continue;
    double& before = line.trails(*step) ? behind : now;
    if (e.tile < first) before = std::max(before, static_cast<double>(e.end));
    if (e.tile < first || e.tile >= first + count) continue;
    const auto k = static_cast<std::size_t>(e.tile - first);
    events[k][static_cast<std::size_t>(*step)] = {static_cast<double>(e.begin),
                                                  static_cast<double>(e.end)};
    shown[k].placement = run.placement_of(e.tile_class);
  }
  for (std::size_t k = 0; k < shown.size(); ++k) {
    shown[k].tile = first + static_cast<std::int64_t>(k);
    for (std::size_t step = 0; step < steps; ++step) {  // a step without cycles has no event
      const bool trails = line.trails(static_cast<Step>(step));
      double& at = trails ? behind : now;
      // Pipelined stages also wait for each other. Otherwise steps wait for transfers only, which
      // are not drawn.
      if (line.any_trails() && k + step > 0) at = std::max(at, events[k][step].begin);
      shown[k].phases.push_back({at, std::max(at, events[k][step].end)});
      at = shown[k].phases.back().end;
    }
  }
  return shown;
}

/// Moves and stretches the tiles to [begin, end).
void fit(std::vector<ShownTile>& shown, double begin, double end) {
  const double from = shown.front().phases.front().begin;
  const double to = shown.back().phases.back().end;
  std::size_t count = 0;
  for (const ShownTile& tile : shown) count += tile.phases.size();
  std::size_t k = 0;
  for (ShownTile& tile : shown)
    for (Phase& phase : tile.phases) {
      const auto moved = [&](double at, std::size_t in_order) {
        const double share = to > from ? (at - from) / (to - from)
                                       : static_cast<double>(in_order) / static_cast<double>(count);
        return begin + (end - begin) * share;
      };
      phase = {moved(phase.begin, k), moved(phase.end, k + 1)};
      ++k;
    }
}

class Builder {
 public:
  Builder(const Network& network, const Hardware& hardware, const NetworkPlan& plan)
      : network_(network),
        hardware_(hardware),
        plan_(plan),
        names_(plan),
        windows_(plan.totals.latency_cycles, windows_of_picture) {}

  io::PlanChart build() {
    chart_.title = plan_.network + " on " + plan_.profile;
    chart_.summary = summary();
    chart_.cycles = std::max(1.0, static_cast<double>(plan_.totals.latency_cycles));
    chart_.clock_hz = hardware_.clock_hz;
    chart_.ops_of_network = network_.ops.size();
    for (const Memory& memory : placement_memories(hardware_))
      chart_.memories.push_back({.space = memory, .buffers = {}, .modes = {}});
    walk_plan(network_, hardware_, plan_, most_events, [&](const SimulatedRun& run) { add(run); });
    add_pinned();
    for (io::ChartMemory& memory : chart_.memories) tidy(memory);
    off_the_chip();
    traffic();
    return std::move(chart_);
  }

 private:
  void add(const SimulatedRun& run) {
    windows_.add(run);
    const std::int64_t tiles = run.planned->tile_count();
    const double share = static_cast<double>(run.cycles) / chart_.cycles;
    const bool all = tiles == 1 || (share >= least_share * static_cast<double>(tiles) && !run.cut);
    std::int64_t first = 0;
    std::int64_t count = tiles;
    if (!all) {
      std::int64_t known = 1;  // tiles with all of their events
      for (const cost::PipelineEvent& e : run.events) known = std::max(known, e.tile + 1);
      if (run.cut) known = std::max<std::int64_t>(1, known - 3);
      count = run.piece.lowering.options.double_buffer && known > 1 ? 2 : 1;
      first = std::min(known / 2, known - count) & ~std::int64_t{1};
    }
    std::vector<ShownTile> shown = phases_of(run, first, count);
    const auto begin = static_cast<double>(run.begin);
    fit(shown, begin, begin + static_cast<double>(run.cycles));
    io::ChartRun& drawn = chart_.runs.emplace_back();
    drawn.begin = begin;
    drawn.end = begin + static_cast<double>(run.cycles);
    drawn.tiles = tiles;
    drawn.shown = count;
    drawn.utilisation = run.planned->utilisation;
    drawn.about = about(run);
    ops(run, shown);
    buffers(run, shown);
    modes(run, shown);
  }

  std::string summary() const {
    const Metrics& totals = plan_.totals;
    const auto scaled = [](double value, double base, std::vector<const char*> units) {
      std::size_t k = 0;
      for (; value >= base && k + 1 < units.size(); ++k) value /= base;
      std::array<char, 60> text{};
      std::snprintf(text.data(), text.size(), "%.4g %s", value, units[k]);
      return std::string(text.data());
    };
    const double ns = static_cast<double>(totals.latency_cycles) / hardware_.clock_hz * 1e9;
    const auto runs = plan_.subgraphs.size();
    const auto ops = network_.ops.size();
    return std::to_string(ops) + (ops == 1 ? " op in " : " ops in ") + std::to_string(runs) +
           (runs == 1 ? " group; " : " groups; ") + std::to_string(totals.latency_cycles) +
           " cycles, " + scaled(ns, 1000, {"ns", "µs", "ms", "s"}) + "; " +
           scaled(static_cast<double>(totals.dram_bytes), 1024, {"B", "KiB", "MiB", "GiB"}) +
           " of DRAM traffic; " + scaled(totals.energy_pj, 1000, {"pJ", "nJ", "µJ", "mJ", "J"}) +
           "; score " + scaled(plan_.score, 1e300, {""}) +
           (plan_.optimal ? "(optimal)" : "(lower bound " + scaled(plan_.bound, 1e300, {""}) + ")");
  }

  std::string about(const SimulatedRun& run) const {
    const PlannedSubgraph& s = *run.planned;
    return "group " + std::to_string(run.index) + ": " + names_.of(s) + "\n" +
           std::to_string(s.ops.size()) + (s.ops.size() == 1 ? " op, " : " ops, ") +
           std::to_string(s.tile_count()) + (s.tile_count() == 1 ? " tile\n" : " tiles\n") +
           std::to_string(s.metrics.latency_cycles) + " cycles, " +
           std::to_string(s.metrics.dram_bytes) + " bytes of DRAM traffic, peak " +
           std::to_string(s.metrics.peak_bytes) + " bytes";
  }

  void ops(const SimulatedRun& run, const std::vector<ShownTile>& shown) {
    const tiling::Timeline line = run.piece.lowering.timeline();
    for (const ShownTile& tile : shown)
      for (std::size_t k = 0; k < tile.phases.size(); ++k) {
        const std::size_t op = run.piece.part.planned_op(static_cast<Step>(k));
        chart_.ops.push_back({.name = names_.of(run.planned->names[op]),
                              .index = run.planned->ops.first + op,
                              .begin = tile.phases[k].begin,
                              .end = tile.phases[k].end,
                              .lane = !line.any_trails()                  ? io::ChartLane::all
                                      : line.trails(static_cast<Step>(k)) ? io::ChartLane::lower
                                                                          : io::ChartLane::upper});
      }
  }

  void buffers(const SimulatedRun& run, const std::vector<ShownTile>& shown) {
    const tiling::Lowering& lowering = run.piece.lowering;
    for (BufferIndex b = 0; b < lowering.buffers.size(); ++b) {
      const io::ChartKind kind = kind_of(run.piece, lowering.buffers[b]);
      const Buffer& buffer = lowering.problem.buffers[b];
      std::optional<std::size_t> last;  // the previous box of the buffer, which may be extended
      std::size_t last_memory = 0;
      for (std::size_t k = 0; k < shown.size(); ++k) {
        const ShownTile& tile = shown[k];
        const Step low = run.first_step(tile.tile);
        // Up to the begin of the next tile: buffers of pipelined ops live all the time.
        const bool goes_on = k + 1 < shown.size();
        const Step high = low + (goes_on ? lowering.timeline().leading : lowering.steps_per_tile);
        const BufferPlace& place = run.planned->placements[tile.placement].placement.places[b];
        const AddressRange bytes{place.offset, place.offset + run.piece.demands[tile.placement][b]};
        auto& boxes = chart_.memories[place.memory].buffers;
        for (const StepRange& live : buffer.live) {
          const Step from = std::max(low, live.lower);
          const Step to = std::min(high, live.upper);
          if (from >= to) continue;
          const double begin = tile.phases[static_cast<std::size_t>(from - low)].begin;
          const double end = goes_on && to == high
                                 ? shown[k + 1].phases.front().begin
                                 : tile.phases[static_cast<std::size_t>(to - 1 - low)].end;
          if (last && last_memory == place.memory && boxes[*last].end == begin &&
              boxes[*last].bytes == bytes) {
            boxes[*last].end = end;
            continue;
          }
          last = boxes.size();
          last_memory = place.memory;
          boxes.push_back({buffer.id, kind, bytes, begin, end});
        }
      }
    }
  }

  void modes(const SimulatedRun& run, const std::vector<ShownTile>& shown) {
    for (MemoryIndex m = 0; m < chart_.memories.size(); ++m) {
      std::vector<io::ChartMode>& modes = chart_.memories[m].modes;
      for (const ShownTile& tile : shown) {
        const auto& of = run.planned->placements[tile.placement].placement.modes;
        if (m >= of.size()) continue;
        const auto low = static_cast<std::size_t>(run.first_step(tile.tile));
        for (std::size_t k = 0; k < tile.phases.size() && low + k < of[m].size(); ++k) {
          const std::string& name = of[m][low + k];
          if (!modes.empty() && modes.back().name == name)
            modes.back().end = tile.phases[k].end;
          else
            modes.push_back({name, tile.phases[k].begin, tile.phases[k].end});
        }
      }
    }
  }

  /// Pinned weights, over the whole time.
  void add_pinned() {
    for (const PlannedPin& pin : plan_.pinned)
      for (io::ChartMemory& memory : chart_.memories)
        if (memory.space.name == pin.memory)
          memory.buffers.push_back({pin.weight,
                                    io::ChartKind::kept,
                                    {pin.offset, pin.offset + pin.bytes},
                                    0,
                                    chart_.cycles});
  }

  /// A tensor resident across cut points is one box.
  static void tidy(io::ChartMemory& memory) {
    std::map<std::tuple<std::string, Offset, Offset>, std::size_t> open;
    std::vector<io::ChartBuffer> boxes;
    for (io::ChartBuffer& box : memory.buffers) {
      memory.height = std::max(memory.height, box.bytes.end);
      if (box.kind == io::ChartKind::kept) {
        const auto [at, fresh] =
            open.try_emplace({box.name, box.bytes.begin, box.bytes.end}, boxes.size());
        if (!fresh && boxes[at->second].end == box.begin) {
          boxes[at->second].end = box.end;
          continue;
        }
        at->second = boxes.size();
      }
      boxes.push_back(std::move(box));
    }
    memory.buffers = std::move(boxes);
  }

  void off_the_chip() {
    if (plan_.offchip.empty()) return;
    const OffchipClock clock(plan_);
    const PlacementProblem question = offchip_question_of(network_, hardware_, plan_);
    std::set<std::string> inputs;
    std::set<std::string> outputs;
    for (const TensorIndex t : network_.inputs)
      inputs.insert(network_.tensors[storage_of(network_, t)].name);
    for (const TensorIndex t : network_.outputs)
      outputs.insert(network_.tensors[storage_of(network_, t)].name);
    for (const OffchipMemory& memory : plan_.offchip) {
      io::ChartMemory& drawn = chart_.memories.emplace_back();
      drawn.offchip = true;
      drawn.height = memory.height;
      for (const HardwareMemory& each : hardware_.memories)
        if (each.space.name == memory.memory) drawn.space = each.space;
      drawn.space.name = memory.memory;
      drawn.space.base = memory.base;
      std::map<std::string, const Buffer*> asked;
      for (const Buffer& buffer : question.buffers) asked[buffer.id] = &buffer;
      for (const OffchipBuffer& b : memory.buffers) {
        const io::ChartKind kind = b.weights                ? io::ChartKind::weights
                                   : inputs.contains(b.id)  ? io::ChartKind::input
                                   : outputs.contains(b.id) ? io::ChartKind::output
                                                            : io::ChartKind::between;
        const auto found = asked.find(b.id);
        for (const Segment& part : found == asked.end() ? std::vector<Segment>{}
                                                        : parts_of(*found->second, memory.height))
          drawn.buffers.push_back({b.id, kind, part.range.at(b.offset), clock.at(part.steps.lower),
                                   clock.at(part.steps.upper)});
      }
    }
  }

  /// Tensors are written and read tile by tile, so their bytes have different lives. Lives that a
  /// picture cannot distinguish are merged. If there are too many, the tensor is one box.
  static std::vector<Segment> parts_of(const Buffer& buffer, Size height) {
    constexpr std::size_t most_parts = 400;
    constexpr std::size_t most_segments = 100'000;
    const AddressRange all{0, buffer.size};
    std::vector<Segment> whole;
    for (const StepRange& live : buffer.live) whole.push_back({live, all});
    double count = 0;
    for (const BufferPart& part : buffer.parts) {
      double runs = static_cast<double>(part.live.size());
      for (const Repeat& repeat : part.repeat) runs *= static_cast<double>(repeat.count);
      count += runs;
    }
    if (buffer.parts.empty() || count > static_cast<double>(most_segments)) return whole;
    const Size grain = height / 400;
    std::vector<Segment> parts;
    for (const Segment& part : segments(buffer)) {
      if (!parts.empty() && parts.back().steps == part.steps &&
          part.range.begin <= parts.back().range.end + grain)
        parts.back().range.end = std::max(parts.back().range.end, part.range.end);
      else
        parts.push_back(part);
    }
    return parts.size() > most_parts ? whole : parts;
  }

  void traffic() {
    const cost::Links links = cost::links_of(hardware_);
    io::ChartTraffic& traffic = chart_.traffic;
    traffic.memory = off_chip::names(hardware_);
    traffic.window = windows_.width;
    traffic.read = windows_.read;
    traffic.written = windows_.written;
    traffic.limit = links.data.read.bytes_per_cycle;
    // For two off-chip memories, the sum.
    if (links.apart) traffic.limit += links.weights.read.bytes_per_cycle;
    if (links.data.two_ways) traffic.write_limit = links.data.write.bytes_per_cycle;
  }

  const Network& network_;
  const Hardware& hardware_;
  const NetworkPlan& plan_;
  OpLabels names_;
  Windows windows_;
  io::PlanChart chart_;
};

}  // namespace

OffchipClock::OffchipClock(const NetworkPlan& plan) {
  Step first = 0;
  const std::vector<cost::Cycles> begins = begins_of(plan);
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const PlannedSubgraph& s = plan.subgraphs[k];
    const std::int64_t tiles = followed_tiles(s);
    runs_.push_back({first, tiles, static_cast<double>(begins[k]),
                     static_cast<double>(s.metrics.latency_cycles)});
    first += 2 * tiles;
  }
}

double OffchipClock::at(Step step) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), step,
                                      [](Step s, const Run& run) { return s < run.first; });
  if (after == runs_.begin()) return 0;
  const Run& run = *(after - 1);
  const double share = static_cast<double>(step - run.first) / (2 * static_cast<double>(run.tiles));
  return run.begin + run.cycles * std::min(1.0, share);
}

io::PlanChart plan_chart(const Network& network, const Hardware& hardware,
                         const NetworkPlan& plan) {
  return Builder(network, hardware, plan).build();
}

}  // namespace tessera::planner
