#include "planner/offchip.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "facts/free_space.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/off_chip.h"
#include "model/parallel.h"
#include "model/say.h"
#include "model/stored.h"
#include "planner/piece.h"
#include "search/offchip/weave.h"
#include "search/placement/bounds.h"
#include "search/placement/greedy.h"
#include "tessera/validate.h"
#include "tiling/direct.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"
#include "tiling/reach.h"
#include "tiling/stored_box.h"
#include "tiling/tensor_lives.h"
#include "tiling/walk.h"

namespace tessera::planner {
namespace {

constexpr const char* weights_id = "weights";

/// Limit on work for following the tiles of a group one by one (op regions along one axis). Above
/// it, all tiles are one step.
constexpr std::int64_t most_followed = 4'000'000;

/// Rounds of the search: some tens of milliseconds for a network of a hundred tensors.
constexpr std::int64_t tile_rounds = 600;
constexpr std::int64_t whole_rounds = 200;

/// The memories of the problem: for weights and for all other buffers.
struct Homes {
  std::vector<const HardwareMemory*> memories;
  std::optional<MemoryIndex> weights{};
  std::optional<MemoryIndex> data{};  ///< empty if off-chip memory is not writable
  std::optional<MemoryIndex> behind{};

  /// `away`: tensors lie in the backing memory.
  explicit Homes(const Hardware& hardware, bool away = false) {
    for (const std::size_t m : off_chip::memories(hardware)) {
      if (&hardware.memories[m] == off_chip::weights(hardware)) weights = memories.size();
      if (&hardware.memories[m] == off_chip::activations(hardware)) data = memories.size();
      memories.push_back(&hardware.memories[m]);
    }
    if (!away) return;
    behind = memories.size();
    memories.push_back(off_chip::backing(hardware));
  }
  /// Value of Buffer::memories for a buffer in this memory.
  [[nodiscard]] std::vector<MemoryIndex> tied_to(std::optional<MemoryIndex> m) const {
    return m && memories.size() > 1 ? std::vector<MemoryIndex>{*m} : std::vector<MemoryIndex>{};
  }
};

bool are_followed(const PlannedSubgraph& planned) {
  const auto [c, h, w] = planned.counts;
  const auto work = static_cast<double>(planned.tile_count()) * static_cast<double>(c + h + w) *
                    static_cast<double>(planned.ops.size());
  return work <= static_cast<double>(most_followed);
}

/// All off-chip accesses of the plan's groups, tile by tile.
class Traffic {
 public:
  Traffic(const Network& network, const Hardware& hardware) : network_(network) {
    readers_ = tiling::last_readers(network);
    hardware_ = &hardware;
    if (const HardwareMemory* home = off_chip::activations(hardware)) layout_ = home->layout;
  }

  /// The accesses of one group, in steps of its own.
  struct Followed {
    std::vector<std::pair<TensorIndex, tiling::BoxAccess>> accesses;
    Step tiles = 0;
    std::vector<Step> loaded_for;  ///< per local tensor: the reader for which it is last loaded
    std::map<TensorIndex, tiling::Box> stored{};  ///< hulls
  };
  [[nodiscard]] Followed follow(const PlannedSubgraph& planned, bool tile_by_tile) const {
    Followed followed;
    const tiling::Subgraph part = planned_part(network_, *hardware_, planned, readers_);
    followed.loaded_for = last_loads(part, planned.variant);
    const std::vector<tiling::DirectAccess> direct =
        tiling::direct_accesses(part, *hardware_, planned.variant.direct);
    const bool in_turn = planned.variant.trailing == 0;
    if (!tile_by_tile) {
      // Every tensor is accessed from the first tile to the last.
      const tiling::TileRegions all = whole_tensors(part);
      add_tile(part, all, direct, nullptr, tiling::TileLevel::first, in_turn, followed);
      followed.tiles = followed_tiles(planned) - 1;
      add_tile(part, all, direct, nullptr, tiling::TileLevel::first, in_turn, followed);
      return followed;
    }
    tiling::TileGeometry geometry(part, planned.variant.halo);
    const tiling::TileShape shape{planned.extent};
    if (are_followed(planned)) {
      const tiling::TileGrid grid = geometry.grid(shape);
      const tiling::TileWalk walk(
          grid, tiling::lower(part, geometry.space(), *hardware_, planned.variant));
      const tiling::TileGeometry::Positions positions = geometry.positions(shape);
      const auto& [outer, middle, inner] = walk.order();
      std::array<Dim, tiling::tile_axes> at{};
      for (at[outer] = 0; at[outer] < positions.count(outer); ++at[outer])
        for (at[middle] = 0; at[middle] < positions.count(middle); ++at[middle])
          for (at[inner] = 0; at[inner] < positions.count(inner); ++at[inner])
            add_tile(part, geometry.tile_at(positions, at), direct, &walk, walk.level_at(at),
                     in_turn, followed);
      // Pipelined ops may read until the next tile has been written.
      if (planned.variant.trailing > 0)
        for (auto& [t, access] : followed.accesses)
          if (access.step % 2 == 0) access.step = std::min(access.step + 3, 2 * followed.tiles - 1);
      // Stores end in any order, so bytes that nothing reads are taken until the run ends.
      for (const auto& [t, box] : followed.stored)
        followed.accesses.push_back({t, {2 * followed.tiles - 1, box}});
      return followed;
    }
    add_tile(part, whole_tensors(part), direct, nullptr, tiling::TileLevel::first, in_turn,
             followed);
    return followed;
  }

  /// Adds the next group.
  void add(Followed followed) {
    begins_.push_back(2 * tiles_);
    for (auto& [t, access] : followed.accesses) {
      access.step += 2 * tiles_;
      accesses_[t].push_back(std::move(access));
    }
    tiles_ += followed.tiles;
  }

  /// In boxes of stored_shape().
  [[nodiscard]] const std::map<TensorIndex, std::vector<tiling::BoxAccess>>& accesses() const {
    return accesses_;
  }
  [[nodiscard]] std::vector<Dim> stored_shape(TensorIndex t) const {
    const std::vector<Dim>& shape = network_.tensors[t].shape;
    return has_layout(shape) ? tiling::stored_shape(shape, layout_of(t)) : shape;
  }
  [[nodiscard]] Size stored_bytes(TensorIndex t) const {
    return tessera::stored_bytes(network_.tensors[t], layout_of(t).brick);
  }
  [[nodiscard]] Step end() const { return std::max<Step>(2 * tiles_, 1); }
  /// Steps of the groups `from` to `to`.
  [[nodiscard]] StepRange steps_of(std::size_t from, std::size_t to) const {
    return {begins_[from], to + 1 < begins_.size() ? begins_[to + 1] : end()};
  }

 private:
  [[nodiscard]] static tiling::TileRegions whole_tensors(const tiling::Subgraph& part) {
    tiling::TileRegions all;
    for (std::size_t t = 0; t < part.tensors.size(); ++t)
      all.fresh.push_back(tiling::whole(part.tensor(t).shape));
    all.stored = all.fresh;
    return all;
  }
  /// Ops whose engines share no memory load a tensor separately, each before its first reader
  /// there.
  [[nodiscard]] std::vector<Step> last_loads(const tiling::Subgraph& part,
                                             const TileVariant& variant) const {
    std::vector<Step> last;
    for (const tiling::LocalTensor& local : part.tensors)
      last.push_back(local.consumers.empty() ? 0 : local.consumers.front());
    if (!tiling::restricts_reach(*hardware_)) return last;
    std::set<std::pair<std::size_t, std::size_t>> known;
    for (const tiling::LaterShare& later :
         tiling::lower(part, tiling::tile_space(part), *hardware_, variant).later)
      if (known.emplace(later.tensor, later.share).second)
        last[later.tensor] = std::max(last[later.tensor], later.step);
    return last;
  }
  /// Resident data is read as the walk says; without a walk everything is read. `in_turn`: no
  /// pipelined ops.
  void add_tile(const tiling::Subgraph& part, const tiling::TileRegions& tile,
                std::span<const tiling::DirectAccess> accesses, const tiling::TileWalk* walk,
                tiling::TileLevel level, bool in_turn, Followed& followed) const {
    const Step step = 2 * followed.tiles++;
    // An engine with direct access may read until it ends and write from its begin.
    const auto direct = [&](bool load, std::size_t t) {
      return std::ranges::find(accesses, tiling::DirectAccess{t, load}) != accesses.end();
    };
    // A store waits for the loads of its op and of earlier ops. Other loads may be in flight.
    const auto read_beside_stores = [&](std::size_t t) {
      return in_turn && std::ranges::any_of(part.tensors, [&](const tiling::LocalTensor& other) {
               return tiling::is_stored(other) &&
                      std::max(*other.producer,
                               other.consumers.empty() ? 0 : other.consumers.back()) <
                          followed.loaded_for[t];
             });
    };
    for (std::size_t t = 0; t < part.tensors.size(); ++t) {
      const tiling::LocalTensor& local = part.tensors[t];
      if (local.weight) continue;
      const bool loaded = tiling::is_loaded(local) && (walk == nullptr || walk->loads(t, level));
      const TensorIndex planned = part.planned(local.tensor);
      const std::optional<JoinedPlace>& place = network_.tensors[planned].joined;
      const TensorIndex home = place ? place->whole : planned;
      const auto whole = [&](const tiling::Box& box) {
        tiling::Box of_tensor = local.slice ? tiling::in_whole(*local.slice, box) : box;
        if (place) of_tensor = tiling::in_whole(*place, of_tensor);
        return lies(home, of_tensor);
      };
      const tiling::Box& read = tile.fresh[t];
      if (loaded && !read.none)
        followed.accesses.push_back(
            {home, {step + (direct(true, t) || read_beside_stores(t) ? 1 : 0), whole(read)}});
      if (!tiling::is_stored(local)) continue;
      const tiling::Box& written = tile.stored[t];
      if (written.none) continue;
      followed.accesses.push_back({home, {step + (direct(false, t) ? 0 : 1), whole(written)}});
      tiling::Box& all = followed.stored.try_emplace(home, whole(written)).first->second;
      all = tiling::hull(all, whole(written));
    }
  }
  [[nodiscard]] Layout layout_of(TensorIndex t) const {
    return is_outside(network_, t) ? unbricked(layout_) : layout_;
  }
  [[nodiscard]] tiling::Box lies(TensorIndex t, const tiling::Box& box) const {
    return has_layout(network_.tensors[t].shape) ? tiling::stored_box(box, layout_of(t)) : box;
  }

  const Network& network_;
  const Hardware* hardware_;
  Layout layout_;
  std::vector<std::optional<OpIndex>> readers_;
  std::map<TensorIndex, std::vector<tiling::BoxAccess>> accesses_;
  std::vector<Step> begins_;  ///< per group
  Step tiles_ = 0;
};

/// Unique printable ids.
class Ids {
 public:
  std::string of(const std::string& name, TensorIndex t) {
    std::string id = name.empty() || !is_printable(name) ? "tensor " + std::to_string(t) : name;
    while (!taken_.insert(id).second) id += " (" + std::to_string(t) + ")";
    return id;
  }

 private:
  std::set<std::string> taken_{weights_id};
};

/// An off-chip tensor and its accesses.
struct Touched {
  BufferIndex buffer = 0;
  TensorIndex tensor = 0;
  std::vector<Dim> shape;  ///< stored shape
  tiling::OutsideLife outside;
  std::size_t axes_whole = 0;  ///< number of trailing axes treated as accessed as a whole
  std::int64_t pieces = 0;
};

/// Sets the parts for accesses widened to all of the last axes. No byte lives shorter.
void set_parts(const Network& network, const std::vector<tiling::BoxAccess>& accesses,
               Touched& touched, Buffer& buffer) {
  const Size element = element_bytes(network.tensors[touched.tensor].type);
  std::vector<tiling::BoxAccess> wider = accesses;
  for (tiling::BoxAccess& access : wider)
    for (std::size_t k = 0; k < touched.axes_whole && !access.box.none; ++k) {
      const std::size_t axis = touched.shape.size() - 1 - k;
      access.box[axis] = {0, touched.shape[axis]};
    }
  buffer.parts = tiling::lives_of(touched.shape, element, wider, touched.outside);
  touched.pieces = buffer.parts.empty() ? max_part_runs + 1 : part_run_count(buffer);
}

/// Merges parts of small tiles into rows, planes or whole tensors, starting with the tensors that
/// have most parts.
void make_few_pieces(const Network& network,
                     const std::map<TensorIndex, std::vector<tiling::BoxAccess>>& accesses,
                     std::int64_t most_in_all, std::vector<Touched>& tensors,
                     std::vector<Buffer>& buffers) {
  std::int64_t pieces = 0;
  for (const Touched& each : tensors) pieces += each.pieces;
  while (pieces > most_in_all) {
    const auto most = std::ranges::max_element(tensors, {}, &Touched::pieces);
    Buffer& buffer = buffers[most->buffer];
    pieces -= most->pieces;
    if (++most->axes_whole < most->shape.size()) {
      set_parts(network, accesses.at(most->tensor), *most, buffer);
    } else {
      buffer.parts.clear();
      most->pieces = 0;
    }
    pieces += most->pieces;
  }
}

PlacementProblem without_parts(PlacementProblem problem) {
  for (Buffer& buffer : problem.buffers) buffer.parts.clear();
  return problem;
}

/// Best placement by tiles or by whole tensors, which is valid for parts, too; chosen per memory.
std::optional<search::WeaveResult> lowest(const PlacementProblem& problem,
                                          const search::Bounds& bounds,
                                          std::vector<Size>& whole_heights, const Budget& budget,
                                          int threads) {
  search::WeaveResult tiles;
  search::WeaveResult all;
  each_together(threads, 2, [&](std::size_t k) {
    if (k == 0) {
      tiles = search::weave(problem,
                            {.budget = budget, .rounds = tile_rounds, .targets = bounds.heights});
    } else {
      const PlacementProblem whole = without_parts(problem);
      all = search::weave(whole,
                          {.budget = budget,
                           .rounds = whole_rounds,
                           .targets = search::lower_bounds(whole, {.budget = budget}).heights});
    }
  });
  if (!all.placement && !tiles.placement) return std::nullopt;
  whole_heights = all.placement ? all.heights : tiles.heights;
  if (!tiles.placement) return all;
  if (!all.placement) return tiles;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const BufferPlace& whole_place = all.placement->places[b];
    if (all.heights[whole_place.memory] < tiles.heights[whole_place.memory])
      tiles.placement->places[b] = whole_place;
  }
  for (MemoryIndex m = 0; m < tiles.heights.size(); ++m)
    tiles.heights[m] = std::min(tiles.heights[m], all.heights[m]);
  return tiles;
}

/// Places whole tensors, each from the first group that accesses it to the last, without search.
/// Weights that arrive in parts keep their parts.
std::optional<search::WeaveResult> placed_by_runs(const PlacementProblem& problem) {
  if (std::ranges::any_of(problem.buffers, [](const Buffer& b) { return !b.parts.empty(); })) {
    search::WeaveResult woven = search::weave(problem, {.rounds = 0});
    if (woven.placement) return woven;
    return std::nullopt;
  }
  search::GreedyResult greedy = search::place_greedily(problem, {.rounds = 0});
  if (!greedy.placement) return std::nullopt;
  return search::WeaveResult{.placement = std::move(greedy.placement),
                             .heights = std::move(greedy.heights)};
}

/// Removes and returns the capacities.
std::vector<Size> without_capacities(PlacementProblem& problem) {
  std::vector<Size> capacities;
  for (Memory& memory : problem.memories)
    capacities.push_back(std::exchange(memory.capacity, unbounded));
  return capacities;
}

/// The memory of a buffer.
MemoryIndex home_of(const PlacementProblem& problem, BufferIndex b) {
  return allowed_memories(problem, problem.buffers[b]).front();
}

}  // namespace

PlacementProblem offchip_question(const Network& network, const Hardware& hardware,
                                  const std::vector<PlannedSubgraph>& subgraphs, const Front& front,
                                  const Budget& budget, std::int64_t pieces, int threads) {
  PlacementProblem problem;
  problem.name = network.name;
  const Homes homes(hardware, !front.away.empty());
  if (homes.memories.empty()) return problem;
  for (const HardwareMemory* memory : homes.memories) problem.memories.push_back(memory->space);
  Traffic traffic(network, hardware);
  std::vector<Traffic::Followed> followed(subgraphs.size());
  each_together(threads, subgraphs.size(), [&](std::size_t k) {
    if (!budget.exhausted()) followed[k] = traffic.follow(subgraphs[k], pieces > by_runs);
  });
  if (budget.exhausted()) return problem;
  for (Traffic::Followed& run : followed) traffic.add(std::move(run));
  const StepRange all{0, traffic.end()};
  Ids ids;
  if (off_chip::backing(hardware) != nullptr) {
    for (const FrontRoom& room : front.rooms) {
      Buffer& buffer = problem.buffers.emplace_back();
      const std::string& name = network.tensors[room.tensor].name;
      buffer.id = ids.of(room.weight ? name : name + ", passing", room.tensor);
      buffer.live = {room.resident ? all : StepRange{all.upper, 0}};
      buffer.size = room.size;
      buffer.memories = homes.tied_to(homes.weights);
      if (room.weight) buffer.kind = BufferKind::weight;
      for (const FrontRoom::Part& part : room.parts) {
        const StepRange live = traffic.steps_of(part.from, room.to);
        buffer.live.front() = {std::min(buffer.live.front().lower, live.lower), live.upper};
        if (room.parts.size() > 1)
          buffer.parts.push_back({.live = {live}, .offset = part.at, .size = part.size});
      }
    }
    if (homes.behind)
      problem.buffers.push_back(
          {.id = weights_id,
           .live = {all},
           .size = weight_bytes(network, hardware, problem.memories[*homes.behind]),
           .memories = homes.tied_to(homes.behind),
           .kind = BufferKind::weight});
  } else if (const Size bytes = weight_bytes(network, hardware, problem.memories[*homes.weights]);
             bytes > 0) {
    problem.buffers.push_back({.id = weights_id,
                               .live = {all},
                               .size = bytes,
                               .memories = homes.tied_to(homes.weights),
                               .kind = BufferKind::weight});
  }
  std::vector<char> made(network.tensors.size(), 0);
  for (const Op& op : network.ops)
    for (const TensorIndex t : op.outputs) made[t] = 1;
  const std::vector<std::optional<OpIndex>> readers = tiling::last_readers(network);
  std::vector<Touched> tensors;
  for (const auto& [t, accesses] : traffic.accesses()) {
    if (budget.exhausted()) {
      problem.buffers.clear();
      return problem;
    }
    const Tensor& tensor = network.tensors[t];
    Touched& touched = tensors.emplace_back();
    touched.buffer = problem.buffers.size();
    touched.tensor = t;
    touched.shape = traffic.stored_shape(t);
    if (made[t] == 0) touched.outside.from = 0;
    if (readers[t] == network.ops.size()) touched.outside.to = all.upper;
    const bool away = std::ranges::find(front.away, t) != front.away.end();
    problem.buffers.push_back({.id = ids.of(tensor.name, t),
                               .size = traffic.stored_bytes(t),
                               .memories = homes.tied_to(away ? homes.behind : homes.data)});
    if (pieces > by_runs) set_parts(network, accesses, touched, problem.buffers.back());
  }
  make_few_pieces(network, traffic.accesses(), pieces, tensors, problem.buffers);
  for (const Touched& touched : tensors) {
    const std::vector<tiling::BoxAccess>& accesses = traffic.accesses().at(touched.tensor);
    Buffer& buffer = problem.buffers[touched.buffer];
    StepRange hull{touched.outside.from.value_or(accesses.front().step),
                   std::max(touched.outside.to.value_or(0), accesses.back().step + 1)};
    for (const BufferPart& part : buffer.parts)
      hull = {std::min(hull.lower, part.live.front().lower),
              std::max(hull.upper, part.live.front().upper)};
    buffer.live = {hull};
  }
  // Numbers exceed the format: use whole tensors.
  if (!validate(problem).empty()) return without_parts(std::move(problem));
  return problem;
}

Size always_there(const PlacementProblem& question, MemoryIndex memory) {
  Step end = 0;
  for (const Buffer& buffer : question.buffers) end = std::max(end, hull_of(buffer).upper);
  Size bytes = 0;
  for (BufferIndex b = 0; b < question.buffers.size(); ++b) {
    const Buffer& buffer = question.buffers[b];
    if (buffer.kind == BufferKind::weight && buffer.parts.empty() &&
        hull_of(buffer) == StepRange{0, end} && home_of(question, b) == memory)
      bytes += buffer.size;
  }
  return bytes;
}

PlacementProblem offchip_question_of(const Network& network, const Hardware& hardware,
                                     const NetworkPlan& plan, std::int64_t pieces, int threads) {
  Front front;
  if (off_chip::backing(hardware) != nullptr)
    front = in_front(network, behind_uses(network, hardware, plan.subgraphs), plan.behind);
  return offchip_question(network, hardware, plan.subgraphs, front, {}, pieces, threads);
}

std::string never_fits_offchip(const Network& network, const Hardware& hardware) {
  const Homes homes(hardware);
  for (MemoryIndex m = 0; m < homes.memories.size(); ++m) {
    const Memory& memory = homes.memories[m]->space;
    if (memory.capacity == unbounded) continue;
    const bool weights_there = homes.weights == m && off_chip::backing(hardware) == nullptr;
    const Size weights = weights_there ? weight_bytes(network, hardware, memory) : 0;
    Size beside = 0;
    std::string what;
    const auto look_at = [&](const std::vector<TensorIndex>& tensors, const char* name) {
      std::set<TensorIndex> own;
      for (const TensorIndex t : tensors)
        if (network.tensors[storage_of(network, t)].kind != TensorKind::weight)
          own.insert(storage_of(network, t));
      Size bytes = 0;
      for (const TensorIndex t : own) bytes += tensor_bytes(network.tensors[t]);
      if (bytes <= beside) return;
      beside = bytes;
      what = name;
    };
    if (homes.data == m) {
      look_at(network.inputs, "all inputs");
      look_at(network.outputs, "all outputs");
    }
    const Size room = facts::free_bytes(memory);
    if (weights + beside <= room) continue;
    if (weights_there) what = what.empty() ? "all weights" : "all weights and " + what;
    return what + " take " + std::to_string(weights + beside) + " bytes of memory '" + memory.name +
           "', which has " + std::to_string(room);
  }
  if (const HardwareMemory* behind = off_chip::backing(hardware);
      behind != nullptr && behind->space.capacity != unbounded) {
    const Size weights = weight_bytes(network, hardware, behind->space);
    if (const Size room = facts::free_bytes(behind->space); weights > room)
      return "all weights take " + std::to_string(weights) + " bytes of memory '" +
             behind->space.name + "', which has " + std::to_string(room);
  }
  return {};
}

std::int64_t followed_tiles(const PlannedSubgraph& planned) {
  return are_followed(planned) ? planned.tile_count() : 1;
}

OffchipAnswer place_offchip(const Network& network, const Hardware& hardware,
                            const std::vector<PlannedSubgraph>& subgraphs, const Front& front,
                            const Budget& budget, std::int64_t pieces, int threads) {
  PlacementProblem problem =
      offchip_question(network, hardware, subgraphs, front, budget, pieces, threads);
  const std::vector<Size> capacities = without_capacities(problem);
  search::Bounds bounds;
  std::vector<Size> whole_heights;
  std::optional<search::WeaveResult> low;
  if (!problem.buffers.empty() && validate(problem).empty()) {
    bounds = search::lower_bounds(problem, {.budget = budget});
    low = lowest(problem, bounds, whole_heights, budget, threads);
  }
  const bool in_time = low.has_value();
  if (!in_time) {
    problem = offchip_question(network, hardware, subgraphs, front, {}, by_runs, threads);
    without_capacities(problem);
    if (problem.buffers.empty() || !validate(problem).empty()) return {};
    low = placed_by_runs(problem);
    if (!low) return {};
    whole_heights = low->heights;
    // Tiles may need less than whole tensors: bytes without accesses need no space.
    bounds.heights.assign(problem.memories.size(), 0);
  }
  OffchipAnswer answer;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    OffchipMemory result;
    result.memory = problem.memories[m].name;
    result.base = problem.memories[m].base;
    // The budget may have ended the bound by tiles.
    result.lower_bound = std::max(bounds.heights[m], always_there(problem, m));
    result.whole_tensors = whole_heights[m];
    result.height = low->heights[m];
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
      const Buffer& buffer = problem.buffers[b];
      if (home_of(problem, b) != m) continue;
      result.buffers.push_back({buffer.id, low->placement->places[b].offset, buffer.size,
                                hull_of(buffer), buffer.kind == BufferKind::weight});
    }
    if (result.height > capacities[m]) {
      if (!in_time)
        return {.memories = {},
                .too_small =
                    "a limit ended the search before memory '" + result.memory +
                    "' had space for the tensors across the cut points of the best partition: " +
                    std::to_string(result.height) + " bytes with the fastest placement, " +
                    std::to_string(capacities[m]) + " available"};
      const Homes homes(hardware, !front.away.empty());
      const std::string who =
          homes.behind == m ? "weights and tensors in the backing memory need "
          : homes.data != m ? "weights need "
          : off_chip::backing(hardware) != nullptr
              ? "transfers in slices, weights in use and tensors across the cut points of the best "
                "partition need "
          : homes.weights == m
              ? "weights and tensors across the cut points of the best partition need "
              : "tensors across the cut points of the best partition need ";
      return {.memories = {},
              .too_small = who + std::to_string(result.height) + " bytes of memory '" +
                           result.memory + "' (lower bound " + std::to_string(result.lower_bound) +
                           " for its tiles), which has " + std::to_string(capacities[m]) +
                           "; other partitions were not evaluated"};
    }
    if (!result.buffers.empty()) answer.memories.push_back(std::move(result));
  }
  return answer;
}

}  // namespace tessera::planner
