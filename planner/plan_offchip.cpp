#include "planner/plan_offchip.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "facts/room.h"
#include "model/buffer_parts.h"
#include "model/say.h"
#include "search/offchip/weave.h"
#include "search/placement/bounds.h"
#include "tessera/check.h"
#include "tessera/validate.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"
#include "tiling/tensor_lives.h"
#include "tiling/walk.h"

namespace tessera {
namespace {

constexpr const char* weights_id = "weights";

/// Where the tiles of a run are followed one by one at most so much work (regions of one op along
/// one axis); else all of them are one step.
constexpr std::int64_t most_followed = 4'000'000;

/// Rounds of weaving: some tens of milliseconds for a network of a hundred tensors.
constexpr std::int64_t tile_rounds = 600;
constexpr std::int64_t whole_rounds = 200;

const HardwareMemory* memory_off_chip(const Hardware& hardware) {
  for (const HardwareMemory& memory : hardware.memories)
    if (memory.offchip) return &memory;
  return nullptr;
}

bool are_followed(const PlannedSubgraph& planned) {
  const auto [c, h, w] = planned.counts;
  const auto work = static_cast<double>(planned.tile_count()) * static_cast<double>(c + h + w) *
                    static_cast<double>(planned.ops.size());
  return work <= static_cast<double>(most_followed);
}

/// Everything the plan's runs read and write off the chip, tile by tile.
class Traffic {
 public:
  Traffic(const Network& network, const Hardware& hardware) : network_(network) {
    readers_ = last_readers(network);
    hardware_ = &hardware;
  }

  void follow(const PlannedSubgraph& planned) {
    const Subgraph part = make_subgraph(network_, planned.ops, readers_, *hardware_);
    TileGeometry geometry(part, planned.halo);
    const TileShape shape{planned.extent};
    if (are_followed(planned)) {
      const TileGrid grid = geometry.grid(shape);
      const TileWalk walk(grid, lower(part, geometry.space(), *hardware_,
                                      {.double_buffer = planned.double_buffer,
                                       .weights = planned.weights,
                                       .halo = planned.halo,
                                       .stationary = planned.stationary}));
      const auto& [outer, middle, inner] = walk.order();
      std::array<Dim, tile_axes> at{};
      for (at[outer] = 0; at[outer] < planned.counts[outer]; ++at[outer])
        for (at[middle] = 0; at[middle] < planned.counts[middle]; ++at[middle])
          for (at[inner] = 0; at[inner] < planned.counts[inner]; ++at[inner])
            add_tile(part, geometry.tile_at(shape, at), &walk, walk.level_at(at));
      return;
    }
    TileRegions all;
    for (std::size_t t = 0; t < part.tensors.size(); ++t)
      all.fresh.push_back(whole(part.tensor(t).shape));
    all.stored = all.fresh;
    add_tile(part, all, nullptr, TileLevel::first);
  }

  [[nodiscard]] const std::map<TensorIndex, std::vector<BoxAccess>>& accesses() const {
    return accesses_;
  }
  [[nodiscard]] Step end() const { return std::max<Step>(2 * tiles_, 1); }

 private:
  /// What stays is read where the walk says; without one everything is.
  void add_tile(const Subgraph& part, const TileRegions& tile, const TileWalk* walk,
                TileLevel level) {
    const Step step = 2 * tiles_++;
    for (std::size_t t = 0; t < part.tensors.size(); ++t) {
      const LocalTensor& local = part.tensors[t];
      if (local.weight) continue;
      const bool loaded = is_loaded(part, local) && (walk == nullptr || walk->loads(t, level));
      if (loaded && !tile.fresh[t].none) accesses_[local.tensor].push_back({step, tile.fresh[t]});
      if (is_stored(part, local) && !tile.stored[t].none)
        accesses_[local.tensor].push_back({step + 1, tile.stored[t]});
    }
  }

  const Network& network_;
  const Hardware* hardware_;
  std::vector<std::optional<OpIndex>> readers_;
  std::map<TensorIndex, std::vector<BoxAccess>> accesses_;
  Step tiles_ = 0;
};

/// Bytes of all weights, each at a multiple of the memory's alignment.
Size weight_bytes(const Network& network, const Memory& memory) {
  Size bytes = 0;
  for (const Tensor& tensor : network.tensors)
    if (tensor.kind == TensorKind::weight && !tensor.view_of)
      bytes += align_up(tensor_bytes(tensor), memory.alignment);
  return bytes;
}

/// Ids that are printable and no two of which are equal.
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

PlacementProblem without_parts(PlacementProblem problem) {
  for (Buffer& buffer : problem.buffers) buffer.parts.clear();
  return problem;
}

/// A placement of whole tensors is one of their parts.
std::optional<WeaveResult> lowest(const PlacementProblem& problem, const Bounds& bounds,
                                  Size& whole_height, const Budget& budget) {
  WeaveParams params{.budget = budget, .rounds = tile_rounds, .targets = bounds.heights};
  WeaveResult tiles = weave(problem, params);
  const PlacementProblem whole = without_parts(problem);
  params.rounds = whole_rounds;
  params.targets = lower_bounds(whole, {.budget = budget}).heights;
  WeaveResult all = weave(whole, params);
  if (!all.placement && !tiles.placement) return std::nullopt;
  whole_height = all.placement ? all.heights.front() : tiles.heights.front();
  if (!tiles.placement || (all.placement && all.heights.front() < tiles.heights.front()))
    return all;
  return tiles;
}

}  // namespace

PlacementProblem offchip_question(const Network& network, const Hardware& hardware,
                                  const std::vector<PlannedSubgraph>& subgraphs,
                                  const Budget& budget) {
  PlacementProblem problem;
  problem.name = network.name;
  const HardwareMemory* memory = memory_off_chip(hardware);
  if (memory == nullptr) return problem;
  problem.memories.push_back(memory->space);
  Traffic traffic(network, hardware);
  for (const PlannedSubgraph& planned : subgraphs) {
    if (budget.exhausted()) return problem;
    traffic.follow(planned);
  }
  const StepRange all{0, traffic.end()};
  if (const Size bytes = weight_bytes(network, memory->space); bytes > 0)
    problem.buffers.push_back(
        {.id = weights_id, .live = {all}, .size = bytes, .kind = BufferKind::weight});
  std::vector<char> made(network.tensors.size(), 0);
  for (const Op& op : network.ops)
    for (const TensorIndex t : op.outputs) made[t] = 1;
  const std::vector<std::optional<OpIndex>> readers = last_readers(network);
  Ids ids;
  for (const auto& [t, accesses] : traffic.accesses()) {
    const Tensor& tensor = network.tensors[t];
    const Size element = element_bytes(tensor.type);
    OutsideLife outside;
    if (made[t] == 0) outside.from = 0;
    if (readers[t] == network.ops.size()) outside.to = all.upper;
    Buffer buffer{.id = ids.of(tensor.name, t), .size = tensor_bytes(tensor)};
    buffer.parts = lives_of(tensor.shape, element, accesses, outside);
    StepRange hull{outside.from.value_or(accesses.front().step),
                   std::max(outside.to.value_or(0), accesses.back().step + 1)};
    for (const BufferPart& part : buffer.parts)
      hull = {std::min(hull.lower, part.live.front().lower),
              std::max(hull.upper, part.live.front().upper)};
    buffer.live = {hull};
    problem.buffers.push_back(std::move(buffer));
  }
  // Too many pieces for the format: then whole tensors.
  if (!validate(problem).empty()) return without_parts(std::move(problem));
  return problem;
}

std::string never_fits_offchip(const Network& network, const Hardware& hardware) {
  const HardwareMemory* memory = memory_off_chip(hardware);
  if (memory == nullptr || memory->space.capacity == unbounded) return {};
  const Size weights = weight_bytes(network, memory->space);
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
  if (memory->writable) {
    look_at(network.inputs, " and all inputs");
    look_at(network.outputs, " and all results");
  }
  const Size room = room_of(memory->space);
  if (weights + beside <= room) return {};
  return "all weights" + what + " take " + std::to_string(weights + beside) + " bytes of memory '" +
         memory->space.name + "', which has " + std::to_string(room);
}

std::int64_t followed_tiles(const PlannedSubgraph& planned) {
  return are_followed(planned) ? planned.tile_count() : 1;
}

OffchipAnswer place_offchip(const Network& network, const Hardware& hardware,
                            const std::vector<PlannedSubgraph>& subgraphs, const Budget& budget) {
  PlacementProblem problem = offchip_question(network, hardware, subgraphs, budget);
  if (problem.buffers.empty()) return {};
  const Size capacity = std::exchange(problem.memories.front().capacity, unbounded);
  if (!validate(problem).empty()) return {};
  const Bounds bounds = lower_bounds(problem, {.budget = budget});
  OffchipMemory result;
  result.memory = problem.memories.front().name;
  result.base = problem.memories.front().base;
  result.lower_bound = bounds.height;
  const std::optional<WeaveResult> low = lowest(problem, bounds, result.whole_tensors, budget);
  if (!low) return {};
  result.height = low->heights.front();
  if (result.height > capacity)
    return {.too_small = "weights and what crosses the cuts of the best cover need " +
                         std::to_string(result.height) + " bytes of memory '" + result.memory +
                         "' (at least " + std::to_string(result.lower_bound) +
                         " with its tiles), which has " + std::to_string(capacity) +
                         "; other covers were not tried for that"};
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    result.buffers.push_back({buffer.id,
                              low->placement->places[b].offset,
                              buffer.size,
                              {buffer.live.front().lower, buffer.live.back().upper},
                              buffer.kind == BufferKind::weight});
  }
  return {.memory = std::move(result)};
}

std::vector<std::string> offchip_wrong(const Network& network, const Hardware& hardware,
                                       const NetworkPlan& plan) {
  if (plan.offchip.empty()) return {};
  const PlacementProblem problem = offchip_question(network, hardware, plan.subgraphs);
  const OffchipMemory& said = plan.offchip.front();
  const std::string who = "off the chip, memory '" + said.memory + "': ";
  if (plan.offchip.size() > 1 || problem.memories.empty() ||
      problem.memories.front().name != said.memory)
    return {"`offchip` lists other memories than the profile has"};
  if (said.base != problem.memories.front().base)
    return {who + "the addresses begin at " + std::to_string(said.base) + ", but the memory at " +
            std::to_string(problem.memories.front().base)};
  if (said.buffers.size() != problem.buffers.size())
    return {who + std::to_string(said.buffers.size()) + " buffers are listed, but " +
            std::to_string(problem.buffers.size()) + " lie there"};
  Placement placement;
  placement.modes.resize(1);
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const OffchipBuffer& each = said.buffers[b];
    const StepRange hull{buffer.live.front().lower, buffer.live.back().upper};
    if (each.id != buffer.id || each.size != buffer.size || each.live != hull)
      return {who + "buffer '" + each.id + "' is not buffer '" + buffer.id + "' of " +
              std::to_string(buffer.size) + " bytes that lives from step " +
              std::to_string(hull.lower) + " to " + std::to_string(hull.upper)};
    placement.places.push_back({0, each.offset});
  }
  std::vector<std::string> wrong;
  for (const Violation& v : check(problem, placement, 5)) wrong.push_back(who + v.message);
  if (wrong.empty() && heights(problem, placement).front() != said.height)
    wrong.push_back(who + "the height is " + std::to_string(heights(problem, placement).front()) +
                    ", not " + std::to_string(said.height));
  if (said.lower_bound > lower_bounds(problem).height)
    wrong.push_back(who + "the bound is " + std::to_string(lower_bounds(problem).height) +
                    ", not " + std::to_string(said.lower_bound));
  return wrong;
}

}  // namespace tessera
