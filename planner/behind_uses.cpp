#include "planner/behind_uses.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "cost/group_parts.h"
#include "model/off_chip.h"
#include "model/say.h"
#include "model/stored.h"
#include "planner/piece.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"
#include "tiling/walk.h"

namespace tessera::planner {
namespace {

/// Maximum number of parts of a weight and minimum bursts of a part. Small parts may arrive as soon
/// as space is free.
constexpr Size most_parts = 16;
constexpr Size least_bursts = 64;
/// Shared slices are evaluated up to this number of tiles.
constexpr std::int64_t most_staged = 256;

/// Bytes that the tiles of a group load of its weights, and load or store of tensors that may lie
/// in the backing memory.
class Passes {
 public:
  Passes(const Network& network, const Hardware& hardware)
      : network_(network),
        hardware_(hardware),
        link_(cost::backing_link(hardware)),
        readers_(tiling::last_readers(network)),
        may_lie_behind_(network.tensors.size(), 0) {
    std::map<std::string, int> named;
    for (const Tensor& tensor : network.tensors) ++named[tensor.name];
    const auto has_name = [&](TensorIndex t) {
      const std::string& name = network.tensors[t].name;
      return !name.empty() && is_printable(name) && named[name] == 1;
    };
    // The rest of the system expects inputs and results in the front memory.
    if (off_chip::backing(hardware)->writable)
      for (const Op& op : network.ops)
        for (const TensorIndex t : op.outputs)
          if (has_name(storage_of(network, t))) may_lie_behind_[storage_of(network, t)] = 1;
    for (const auto* outside : {&network.inputs, &network.outputs})
      for (const TensorIndex t : *outside) may_lie_behind_[storage_of(network, t)] = 0;
  }

  void add(const PlannedSubgraph& planned, std::size_t run, std::vector<BehindUse>& use_of) {
    const tiling::Subgraph part = planned_part(network_, hardware_, planned, readers_);
    tiling::TileGeometry geometry(part, planned.variant.halo);
    const tiling::TileGrid grid = geometry.grid(tiling::TileShape{planned.extent});
    const tiling::TileWalk walk(grid,
                                tiling::lower(part, geometry.space(), hardware_, planned.variant));
    const std::vector<Visited> visited = visited_tiles(planned, geometry, walk);
    for (std::size_t t = 0; t < part.tensors.size(); ++t) {
      const tiling::LocalTensor& local = part.tensors[t];
      const bool loads = tiling::is_loaded(local);
      const bool stores = tiling::is_stored(local);
      if (!local.weight && (may_lie_behind_[local.tensor] == 0 || (!loads && !stores))) continue;
      BehindUse::Pass pass{.run = run, .writes = stores};
      BehindUse::Stage each;
      if (local.weight && planned.variant.weights == WeightPolicy::resident) {
        each.piece = local.bytes.whole();
        each.bytes = whole_bursts(each.piece, link_.burst);
        each.pieces = 1;
      } else {
        for (const tiling::TileVisit& visit : walk.visits()) {
          const tiling::TileRegions& tile = grid.tiles[visit.tile];
          const tiling::Box& box = stores ? tile.stored[t] : tile.fresh[t];
          if (box.none || (!stores && !walk.loads(t, visit.level))) continue;
          add_piece(part, t, box, visit.times, each);
        }
      }
      pass.stages.push_back(each);
      if (!local.weight || planned.variant.weights != WeightPolicy::resident)
        add_stages(part, t, visited, walk, pass);
      use_of[local.tensor].passes.push_back(std::move(pass));
    }
  }

 private:
  /// A tile in execution order.
  struct Visited {
    std::array<Dim, tiling::tile_axes> at{};
    tiling::TileLevel level = tiling::TileLevel::first;
    tiling::TileRegions regions;
  };
  /// Empty if there are too many tiles.
  [[nodiscard]] static std::vector<Visited> visited_tiles(const PlannedSubgraph& planned,
                                                          const tiling::TileGeometry& geometry,
                                                          const tiling::TileWalk& walk) {
    std::vector<Visited> visited;
    if (planned.tile_count() == 1 || planned.tile_count() > most_staged) return visited;
    const tiling::TileGeometry::Positions positions =
        geometry.positions(tiling::TileShape{planned.extent});
    const auto& [outer, middle, inner] = walk.order();
    std::array<Dim, tiling::tile_axes> at{};
    for (at[outer] = 0; at[outer] < positions.count(outer); ++at[outer])
      for (at[middle] = 0; at[middle] < positions.count(middle); ++at[middle])
        for (at[inner] = 0; at[inner] < positions.count(inner); ++at[inner])
          visited.push_back({at, walk.level_at(at), geometry.tile_at(positions, at)});
    return visited;
  }

  /// Slices of one tile, of the innermost loop, and of the two innermost loops. The part of a slice
  /// in the slice before is not loaded again.
  void add_stages(const tiling::Subgraph& part, std::size_t t, const std::vector<Visited>& visited,
                  const tiling::TileWalk& walk, BehindUse::Pass& pass) const {
    const Size all = size_in_front(part, t);
    for (int loops = 0; loops <= 2 && !visited.empty(); ++loops) {
      const BehindUse::Stage stage = stage_of(part, t, visited, walk, loops, pass.writes);
      BehindUse::Stage& last = pass.stages.back();
      if (stage.bytes >= last.bytes || stage.piece >= all) continue;
      if (loops > 0)
        pass.stages.push_back(stage);
      else if (stage.piece <= part_of(all, link_.burst))  // else nothing would remain of it
        last = stage;
    }
  }
  [[nodiscard]] Size size_in_front(const tiling::Subgraph& part, std::size_t t) const {
    const tiling::LocalTensor& local = part.tensors[t];
    return local.weight ? local.bytes.whole()
                        : stored_bytes(part.tensor(t), off_chip::weights(hardware_)->layout.brick);
  }
  [[nodiscard]] BehindUse::Stage stage_of(const tiling::Subgraph& part, std::size_t t,
                                          const std::vector<Visited>& visited,
                                          const tiling::TileWalk& walk, int loops,
                                          bool writes) const {
    const auto together = [&](const Visited& a, const Visited& b) {
      for (std::size_t k = 0; k + static_cast<std::size_t>(loops) < tiling::tile_axes; ++k)
        if (a.at[walk.order()[k]] != b.at[walk.order()[k]]) return false;
      return true;
    };
    BehindUse::Stage stage{.loops = loops};
    tiling::Box before = tiling::nothing(part.tensor(t).shape.size());
    for (std::size_t from = 0; from < visited.size();) {
      tiling::Box piece = tiling::nothing(before.rank);
      std::size_t to = from;
      for (; to < visited.size() && together(visited[from], visited[to]); ++to)
        if (writes || walk.loads(t, visited[to].level))
          piece = tiling::hull(
              piece, writes ? visited[to].regions.stored[t] : visited[to].regions.fresh[t]);
      from = to;
      if (piece.none) continue;
      BehindUse::Stage whole;
      add_piece(part, t, piece, 1, whole);
      stage.piece = std::max(stage.piece, whole.piece);
      if (const tiling::Box rest = rest_of(piece, before); !rest.none)
        add_piece(part, t, rest, 1, stage);
      before = piece;
    }
    return stage;
  }
  /// The part of a slice outside the slice before; the whole slice if that is not a box.
  [[nodiscard]] static tiling::Box rest_of(const tiling::Box& piece, const tiling::Box& before) {
    const tiling::Box common = tiling::intersect(piece, before);
    if (common.none) return piece;
    tiling::Box rest = piece;
    int cut = 0;
    for (std::size_t axis = 0; axis < piece.rank; ++axis) {
      if (common[axis] == piece[axis]) continue;
      ++cut;
      if (common[axis].begin == piece[axis].begin)
        rest[axis].begin = common[axis].end;
      else if (common[axis].end == piece[axis].end)
        rest[axis].end = common[axis].begin;
      else
        return piece;
    }
    if (cut == 0) return tiling::nothing(piece.rank);
    return cut == 1 ? rest : piece;
  }

  void add_piece(const tiling::Subgraph& part, std::size_t t, const tiling::Box& box,
                 std::int64_t times, BehindUse::Stage& stage) const {
    Size piece = 0;
    Size on_bus = 0;
    if (part.tensors[t].weight) {
      piece = cost::box_bytes(part, t, box);
      on_bus = whole_bursts(piece, link_.burst);
    } else {
      // Row by row if tiles lie in rows.
      const cost::BurstCount count = cost::moved(part, t, box, link_);
      piece = count.bytes;
      on_bus = count.bursts * link_.burst;
    }
    stage.piece = std::max(stage.piece, piece);
    stage.bytes += times * on_bus;
    stage.pieces += times;
  }

  const Network& network_;
  const Hardware& hardware_;
  cost::Link link_;
  std::vector<std::optional<OpIndex>> readers_;
  std::vector<char> may_lie_behind_;
};

}  // namespace

std::vector<Size> weight_sizes(const Network& network, const Hardware& hardware) {
  std::vector<Size> sizes;
  for (const Tensor& tensor : network.tensors)
    sizes.push_back(tensor.kind == TensorKind::weight && !tensor.view_of ? tensor_bytes(tensor)
                                                                         : 0);
  for (const Op& op : network.ops)
    if (const auto weight = multiplied_by(network, op, hardware))
      sizes[weight->tensor] = weight->bytes.whole();
  return sizes;
}

Size whole_bursts(Size bytes, Size burst) {
  return (bytes + burst - 1) / burst * burst;
}

Size part_of(Size weight, Size burst) {
  return align_up(std::max((weight + most_parts - 1) / most_parts, least_bursts * burst), burst);
}

Size passing_room(const BehindUse& use, const BehindUse::Pass& pass, int loops, int copies,
                  Size burst) {
  const Size piece = pass.stage(loops)->piece;
  return copies * (loops > 0 ? piece : std::min(piece, part_of(use.size, burst)));
}

std::int64_t cycles_of(Size bytes, const cost::Link& link, bool load) {
  const Size bursts = (bytes + link.burst - 1) / link.burst;
  return cost::transfer_cost({.bursts = bursts, .bytes = bytes, .rows = 1}, link, load).cycles;
}

Size weight_bytes(const Network& network, const Hardware& hardware, const Memory& memory) {
  Size bytes = 0;
  for (const Size size : weight_sizes(network, hardware)) bytes += align_up(size, memory.alignment);
  return bytes;
}

std::vector<BehindUse> behind_uses(const Network& network, const Hardware& hardware,
                                   const std::vector<PlannedSubgraph>& runs) {
  const std::vector<Size> sizes = weight_sizes(network, hardware);
  const Dim brick = off_chip::weights(hardware)->layout.brick;
  Passes passes(network, hardware);
  std::vector<BehindUse> use_of(network.tensors.size());
  for (std::size_t run = 0; run < runs.size(); ++run) passes.add(runs[run], run, use_of);
  std::vector<BehindUse> uses;
  for (TensorIndex t = 0; t < use_of.size(); ++t) {
    if (use_of[t].passes.empty()) continue;
    use_of[t].tensor = t;
    use_of[t].weight = network.tensors[t].kind == TensorKind::weight;
    use_of[t].size = use_of[t].weight ? sizes[t] : stored_bytes(network.tensors[t], brick);
    uses.push_back(std::move(use_of[t]));
  }
  std::ranges::stable_sort(uses, {}, &BehindUse::first);
  return uses;
}

namespace {

/// Layer by layer: each op with its operands and results, each tensor once.
class SingleFetches {
 public:
  SingleFetches(const Network& network, const Hardware& hardware, const Metrics& layers)
      : network_(network),
        front_(*off_chip::weights(hardware)),
        link_(cost::backing_link(hardware)),
        sizes_(weight_sizes(network, hardware)),
        outside_(network.tensors.size(), 0),
        fetched_(layers) {
    for (const auto* tensors : {&network.inputs, &network.outputs})
      for (const TensorIndex t : *tensors) outside_[storage_of(network, t)] = 1;
  }

  void add(const Op& op) {
    const std::vector<TensorIndex> read = storages(operands(op));
    const std::vector<TensorIndex> made = storages(op.outputs);
    Size activations = 0;
    for (const TensorIndex t : read) {
      if (network_.tensors[t].kind == TensorKind::weight)
        move(sizes_[t], true);
      else
        activations += in_front(t);
    }
    for (const TensorIndex t : made)
      if (!std::ranges::binary_search(read, t)) activations += in_front(t);
    most_ = std::max(most_, activations);
    if (activations <= front_.space.capacity) return;
    for (const TensorIndex t : read)
      if (network_.tensors[t].kind != TensorKind::weight && outside_[t] == 0)
        move(in_front(t), true);
    for (const TensorIndex t : made)
      if (outside_[t] == 0) move(in_front(t), false);
  }

  [[nodiscard]] const Metrics& fetched() const { return fetched_; }
  /// Maximum bytes of activations of an op.
  [[nodiscard]] Size most() const { return most_; }

 private:
  [[nodiscard]] std::vector<TensorIndex> storages(std::vector<TensorIndex> tensors) const {
    for (TensorIndex& t : tensors) t = storage_of(network_, t);
    std::ranges::sort(tensors);
    tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
    return tensors;
  }
  [[nodiscard]] Size in_front(TensorIndex t) const {
    return align_up(stored_bytes(network_.tensors[t], front_.layout.brick), front_.space.alignment);
  }
  void move(Size bytes, bool load) {
    const AccessEnergy& energy = link_.energy;
    fetched_.latency_cycles += cycles_of(bytes, link_, load);
    fetched_.energy_pj += static_cast<double>(whole_bursts(bytes, link_.burst)) *
                          (load ? energy.read_pj : energy.write_pj);
  }

  const Network& network_;
  const HardwareMemory& front_;
  const cost::Link link_;
  const std::vector<Size> sizes_;
  std::vector<char> outside_;  ///< inputs and results of the network, always in the front memory
  Metrics fetched_;
  Size most_ = 0;
};

}  // namespace

Metrics with_single_fetches(const Network& network, const Hardware& hardware, Metrics layers) {
  if (off_chip::backing(hardware) == nullptr) return layers;
  const Memory& front = off_chip::weights(hardware)->space;
  SingleFetches each(network, hardware, layers);
  for (const Op& op : network.ops) each.add(op);
  return weight_bytes(network, hardware, front) + each.most() <= front.capacity ? layers
                                                                                : each.fetched();
}

}  // namespace tessera::planner
