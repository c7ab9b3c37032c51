// Groups of random networks in every loop order of tiles, replayed command by command: from the
// begin of its load or computation to its last read or store, a buffer shares its address with no
// other.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_replay_test        repeats one of them
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cost/group_tasks.h"
#include "cost/pipeline.h"
#include "cost/tile_cost.h"
#include "cost/tiled_group.h"
#include "cost/transfer.h"
#include "model/derived.h"
#include "placer/tile_engine.h"
#include "planner/option.h"
#include "planner/piece.h"
#include "search/tiles/tile_search.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_network.h"
#include "tiling/joined.h"

namespace tessera {
namespace {

using cost::Cycles;
using testing::Random;
using testing::setting;

struct Window {
  Cycles begin = std::numeric_limits<Cycles>::max();
  Cycles end = -1;
  void add(Cycles from, Cycles to) {
    begin = std::min(begin, from);
    end = std::max(end, to);
  }
  [[nodiscard]] bool any() const { return end >= 0; }
};

/// An address range during a time interval.
struct Stay {
  BufferIndex buffer = 0;
  std::int64_t tile = 0;
  MemoryIndex memory = 0;
  AddressRange bytes;
  Window when;
};

class Replay {
 public:
  Replay(const planner::Piece& piece, const Hardware& hardware,
         const std::vector<PlannedPlacement>& placements)
      : piece_(piece),
        placements_(placements),
        schedule_(cost::group_schedule(planner::piece_run(piece, hardware, placements))) {
    std::vector<cost::PipelineEvent> events;
    cycles_ = cost::simulate(schedule_.pipeline, {.events = &events}).cycles;
    for (const cost::PipelineEvent& event : events)
      at_[{schedule_.pipeline.tasks[event.task].name, event.tile}].add(event.begin, event.end);
    for (const cost::PipelineEvent& event : events) class_of_[event.tile] = event.tile_class;
  }

  /// Empty: no two buffers overlap.
  [[nodiscard]] std::string wrong() {
    find_stays();
    for (std::size_t a = 0; a < stays_.size(); ++a)
      for (std::size_t b = a + 1; b < stays_.size(); ++b) {
        const Stay& one = stays_[a];
        const Stay& other = stays_[b];
        if (one.memory != other.memory || one.bytes.end <= other.bytes.begin ||
            other.bytes.end <= one.bytes.begin)
          continue;
        if (one.when.begin < other.when.end && other.when.begin < one.when.end)
          return text(one) + " and " + text(other);
      }
    return {};
  }

  /// An on-chip memory that serves longer than the group takes, over all of its ops.
  [[nodiscard]] std::string overrun(const Hardware& hardware) const {
    const cost::TiledGroup run = planner::piece_run(piece_, hardware, placements_);
    const cost::GroupTasks tasks = cost::group_tasks(run);
    std::vector<Cycles> all(piece_.lowering.problem.memories.size(), 0);
    for (const auto& [tile, tile_class] : class_of_) {
      const cost::TileCost cost = cost::tile_cost(run, tasks, schedule_.tile_of_class[tile_class],
                                                  cost::links_of(hardware));
      for (MemoryIndex m = 0; m < cost.served.size(); ++m)
        all[m] += cost.served[m].leading + cost.served[m].trailing;
    }
    for (MemoryIndex m = 0; m < all.size(); ++m)
      if (all[m] > cycles_)
        return piece_.lowering.problem.memories[m].name + " serves " + std::to_string(all[m]) +
               " of " + std::to_string(cycles_);
    return {};
  }

  /// Empty: at every step of a slot, the modes allow the accesses of the leading op and of all
  /// trailing ops. These may run at the same time.
  [[nodiscard]] std::string forbidden() const {
    const tiling::Timeline line = piece_.lowering.timeline();
    for (const PlannedPlacement& placed : placements_)
      for (Step at = 0; at < 2 * line.steps; ++at) {
        const Step slot = at / line.steps;
        const Step leads = at % line.steps;
        const std::string first =
            line.trails(leads) ? "" : forbidden(placed.placement, at, leads, slot);
        if (!first.empty()) return first;
        for (Step trails = line.leading; trails < line.steps; ++trails)
          if (std::string what = forbidden(placed.placement, at, trails, 1 - slot); !what.empty())
            return what;
      }
    return {};
  }

 private:
  /// An access of an op of a tile with this parity that is forbidden at this step.
  [[nodiscard]] std::string forbidden(const Placement& placement, Step at, Step op,
                                      Step parity) const {
    const tiling::Subgraph& part = piece_.part;
    for (const tiling::LocalOperand& used : part.operands_at[static_cast<std::size_t>(op)])
      if (!allowed(placement, at, used.local, piece_.lowering.share_of(used.local, op), parity,
                   false))
        return part.op(op).name + " reads " + part.tensor(used.local).name + " at step " +
               std::to_string(at);
    for (const std::size_t made : part.made_at[static_cast<std::size_t>(op)])
      // or the whole buffer is there
      if (std::ranges::count(tiling::makers_of(part, made), op) > 0 &&
          !allowed(placement, at, made, 0, parity, true))
        return part.op(op).name + " writes " + part.tensor(made).name + " at step " +
               std::to_string(at);
    return {};
  }
  [[nodiscard]] bool allowed(const Placement& placement, Step at, std::size_t local,
                             std::size_t share, Step parity, bool writes) const {
    const tiling::Lowering& lowering = piece_.lowering;
    for (const auto& [joined, place] : lowering.in_place)
      if (joined == local) local = place;
    const auto mine = [&](BufferIndex b, bool any) {
      const tiling::LoweredBuffer& buffer = lowering.buffers[b];
      return buffer.tensor == local && buffer.share == share &&
             tiling::is_whole_or_tile(buffer.role) && (any || buffer.copy == parity);
    };
    std::vector<BufferIndex> copies;
    for (BufferIndex b = 0; b < lowering.buffers.size(); ++b)
      if (mine(b, true)) copies.push_back(b);
    for (const BufferIndex b : copies) {
      if (copies.size() == 2 && !mine(b, false)) continue;
      const BufferPlace& place = placement.places[b];
      const Memory& memory = lowering.problem.memories[place.memory];
      if (!has_modes(memory)) continue;
      const std::vector<Role> roles =
          mode_roles(memory, placement.modes[place.memory][static_cast<std::size_t>(at)]);
      const std::vector<AddressRange> banks = bank_ranges(memory);
      const Buffer& buffer = placements_.front().problem.buffers[b];
      for (std::size_t k = 0; k < banks.size(); ++k)
        if (overlaps(banks[k], {place.offset, place.offset + buffer.size}) &&
            !(writes ? may_write(roles[k], buffer.kind) : may_read(roles[k], buffer.kind)))
          return false;
    }
    return true;
  }

  [[nodiscard]] std::string text(const Stay& stay) const {
    return piece_.lowering.problem.buffers[stay.buffer].id + " of tile " +
           std::to_string(stay.tile) + " in cycles " + std::to_string(stay.when.begin) + " to " +
           std::to_string(stay.when.end);
  }
  [[nodiscard]] Window command(const std::string& name, std::int64_t tile) const {
    const auto found = at_.find({name, tile});
    return found == at_.end() ? Window{} : found->second;
  }
  void add_op(Window& when, Step step, std::int64_t tile) const {
    const std::string& name = piece_.part.op(step).name;
    for (const char* part : {"", ", last channels"}) {
      const Window op = command(name + part, tile);
      if (op.any()) when.add(op.begin, op.end);
    }
  }

  void find_stays() {
    const tiling::Lowering& lowering = piece_.lowering;
    for (BufferIndex b = 0; b < lowering.buffers.size(); ++b) {
      const tiling::LoweredBuffer& buffer = lowering.buffers[b];
      const bool always =
          buffer.role != tiling::BufferRole::tile || buffer.stays || buffer.every_tile > 0;
      const bool two = std::ranges::count_if(lowering.buffers, [&](const auto& other) {
                         return other.tensor == buffer.tensor && other.share == buffer.share;
                       }) == 2;
      for (const auto& [tile, tile_class] : class_of_) {
        const std::size_t which = piece_.demand_of_tile[schedule_.tile_of_class[tile_class]];
        const BufferPlace& place = placements_[which].placement.places[b];
        Stay stay{
            b, tile, place.memory, {place.offset, place.offset + piece_.demands[which][b]}, {}};
        if (always) {
          stay.when.add(0, cycles_);
          stays_.push_back(stay);
          break;
        }
        if (two && tile % 2 != buffer.copy) continue;
        stay.when = window(buffer, tile);
        if (stay.when.any()) stays_.push_back(stay);
      }
    }
  }

  [[nodiscard]] Window window(const tiling::LoweredBuffer& buffer, std::int64_t tile) const {
    const tiling::Subgraph& part = piece_.part;
    const tiling::LocalTensor& local = part.tensors[buffer.tensor];
    const std::string& name = part.tensor(buffer.tensor).name;
    Window when;
    std::set<std::size_t> filled;  // before the first op that reads the copy
    for (const Step step : local.consumers) {
      const std::size_t share = piece_.lowering.share_of(buffer.tensor, step);
      const bool fills =
          !tiling::is_loaded(local) && buffer.share == 0 && filled.insert(share).second;
      if (share == buffer.share || fills) add_op(when, step, tile);
    }
    if (buffer.share == 0 && local.producer)
      for (const Step step : tiling::makers_of(part, buffer.tensor)) add_op(when, step, tile);
    // Loads into several places share one name.
    const bool known = std::ranges::none_of(piece_.lowering.later, [&](const auto& later) {
      return later.tensor == buffer.tensor && tiling::is_loaded(local);
    });
    for (const std::string& moved :
         {"load " + name, "load " + name + ", the rest", "store " + name})
      if (const Window move = command(moved, tile); move.any() && known && buffer.share == 0)
        when.add(move.begin, move.end);
    return when;
  }

  const planner::Piece& piece_;
  const std::vector<PlannedPlacement>& placements_;
  cost::GroupSchedule schedule_;
  Cycles cycles_ = 0;
  std::map<std::pair<std::string, std::int64_t>, Window> at_;
  std::map<std::int64_t, std::size_t> class_of_;
  std::vector<Stay> stays_;
};

std::vector<TileVariant> ways(const tiling::Subgraph& part, const Hardware& hardware) {
  std::vector<TileVariant> all = planner::variants_of(part, hardware);
  for (const auto& more :
       {planner::one_copy_variants(part, hardware), planner::trailing_variants(part, hardware)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Replay, NothingLiesWhereSomethingElseIs) {
  const std::uint64_t first = setting("TESSERA_SEED", 1);
  const std::uint64_t cases = setting("TESSERA_CASES", testing::effort(1500));
  std::map<std::string, int> seen;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    SCOPED_TRACE("TESSERA_SEED=" + std::to_string(seed) + " TESSERA_CASES=1");
    Random random(seed ^ 0x4e9a);
    const Network net = testing::random_network(
        seed, {.ops = static_cast<std::size_t>(random.between(2, 5)), .extent = 9, .channels = 8});
    Hardware hardware = testing::random_machine(
        random, {.needed = testing::bytes_of(net), .least_percent = 40, .most_percent = 160});
    hardware.tiling.engines = EngineOrder::side_by_side;
    hardware.tiling.halo = {HaloPolicy::recompute};
    if (random.chance(40)) hardware.dma.weight_slices = random.between(2, 6);
    if (random.chance(30)) testing::split_reach(random, hardware);
    if (random.chance(35)) testing::give_modes(random, hardware);
    if (random.chance(40))
      hardware.memories.front().bandwidth = Bandwidth{.amount = 2.5, .per_cycle = true};
    const tiling::Subgraph part =
        tiling::make_subgraph(net, {0, net.ops.size() - 1}, tiling::last_readers(net), hardware);
    tiling::TileGeometry geometry(part, HaloPolicy::recompute);
    tiling::TileShape shape = geometry.space().whole;
    for (std::size_t axis = 0; axis < shape.extent.size(); ++axis)
      if (geometry.space().axis[axis])
        shape.extent[axis] = random.between((shape.extent[axis] + 3) / 4, shape.extent[axis]);
    const auto engine = placer::tile_engine(hardware);
    for (const TileVariant& options : ways(part, hardware)) {
      search::TileSearchResult found = search::find_tile(geometry, hardware,
                                                         {.options = options,
                                                          .engine = engine.get(),
                                                          .nodes_per_question = 20'000,
                                                          .only = shape});
      if (found.status != Status::feasible) continue;
      std::vector<PlannedPlacement> placements;
      const planner::Piece piece =
          planner::make_piece(part, geometry.space(), found.grid, found.lowering);
      for (std::size_t k = 0; k < found.placements.size(); ++k)
        placements.push_back({.problem = planner::piece_problem(piece, k),
                              .placement = found.placements[k],
                              .engine = {}});
      Replay replay(piece, hardware, placements);
      EXPECT_EQ(replay.wrong(), "")
          << "trailing " << options.trailing << " of " << part.steps() << ", double "
          << options.double_buffer << ", weights " << static_cast<int>(options.weights)
          << ", one copy " << static_cast<int>(options.one_copy) << ", stays "
          << static_cast<int>(options.stationary);
      EXPECT_EQ(options.trailing > 0 ? replay.forbidden() : "", "");
      EXPECT_EQ(replay.overrun(hardware), "") << "trailing " << options.trailing;
      const bool several = found.grid.counts[0] * found.grid.counts[1] * found.grid.counts[2] > 2;
      if (!several) continue;
      ++seen[options.trailing > 0                     ? "trailing"
             : options.one_copy != OneCopy::none      ? "one copy"
             : options.stationary != Stationary::none ? "stays"
             : options.double_buffer                  ? "double"
                                                      : "single"];
      if (options.trailing > 0 && !found.lowering.later.empty()) ++seen["trailing, copied"];
      if (options.trailing > 1) ++seen["several trail"];
      if (options.trailing > 0 && has_modes(hardware.memories.front().space)) {
        ++seen["trailing, modes"];
        const auto switched =
            cost::group_cost(planner::piece_run(piece, hardware, placements)).mode_switches;
        if (switched > 0) ++seen["trailing, modes are switched"];
      }
    }
  }
  if (cases < 1000) return;
  for (const char* each : {"trailing", "one copy", "stays", "double", "single", "several trail",
                           "trailing, copied", "trailing, modes", "trailing, modes are switched"})
    EXPECT_GT(seen[each], 30) << each;
}

}  // namespace
}  // namespace tessera
