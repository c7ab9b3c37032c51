// Runs of random networks in every way of going through their tiles, command by command as they are
// simulated: from when something begins to be loaded or made until nobody reads or stores it any
// more, nothing else is where it lies.
//
//   TESSERA_SEED=17 TESSERA_CASES=1 random_replay_test        one of them again
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cost/pipeline.h"
#include "cost/tiled_run.h"
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

/// Some bytes for some time.
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
        schedule_(cost::run_schedule(planner::piece_run(piece, hardware, placements))) {
    std::vector<cost::PipelineEvent> events;
    cycles_ = cost::simulate(schedule_.pipeline, {.events = &events}).cycles;
    for (const cost::PipelineEvent& event : events)
      at_[{schedule_.pipeline.tasks[event.task].name, event.tile}].add(event.begin, event.end);
    for (const cost::PipelineEvent& event : events) class_of_[event.tile] = event.tile_class;
  }

  /// Empty: nothing is where something else lies.
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

 private:
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
    // Loads into several places have one name.
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
  cost::RunSchedule schedule_;
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
      EXPECT_EQ(Replay(piece, hardware, placements).wrong(), "")
          << "trailing " << options.trailing << " of " << part.steps() << ", double "
          << options.double_buffer << ", weights " << static_cast<int>(options.weights)
          << ", one copy " << static_cast<int>(options.one_copy) << ", stays "
          << static_cast<int>(options.stationary);
      const bool several = found.grid.counts[0] * found.grid.counts[1] * found.grid.counts[2] > 2;
      if (!several) continue;
      ++seen[options.trailing > 0                     ? "trailing"
             : options.one_copy != OneCopy::none      ? "one copy"
             : options.stationary != Stationary::none ? "stays"
             : options.double_buffer                  ? "double"
                                                      : "single"];
      if (options.trailing > 0 && !found.lowering.later.empty()) ++seen["trailing, copied"];
      if (options.trailing > 1) ++seen["several trail"];
    }
  }
  if (cases < 1000) return;
  for (const char* each :
       {"trailing", "one copy", "stays", "double", "single", "several trail", "trailing, copied"}) {
    EXPECT_GT(seen[each], 30) << each;
  }
}

}  // namespace
}  // namespace tessera
