#include "planner/piece.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/off_chip.h"
#include "tiling/loops.h"
#include "tiling/reduction.h"
#include "tiling/trailing.h"

namespace tessera::planner {

namespace {

[[noreturn]] void refuse(const PlannedSubgraph& planned, const std::string& what) {
  throw std::invalid_argument("the subgraph of ops " + std::to_string(planned.ops.first) + " to " +
                              std::to_string(planned.ops.last) + " " + what);
}

}  // namespace

namespace {

std::vector<TensorIndex> named(const Network& network, const PlannedSubgraph& planned,
                               const std::vector<std::string>& names, const char* does) {
  std::vector<TensorIndex> tensors;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(network.tensors, name, &Tensor::name);
    if (found == network.tensors.end())
      refuse(planned, does + (" '" + name) + "', which is not a tensor of the network");
    tensors.push_back(static_cast<TensorIndex>(found - network.tensors.begin()));
  }
  return tensors;
}

std::vector<TensorIndex> sorted(std::vector<TensorIndex> tensors) {
  std::ranges::sort(tensors);
  return tensors;
}

/// Sets prefetched weights of this group and of later ones.
void set_prefetched(const Network& network, const Hardware& hardware,
                    const PlannedSubgraph& planned, tiling::Subgraph& part) {
  if (planned.early.empty() && planned.ahead.empty() && planned.passing.empty()) return;
  const tiling::PrefetchedWeights weights = early_weights(network, planned);
  const auto listed = [&](TensorIndex t) { return "'" + network.tensors[t].name + "'"; };
  for (const auto& [list, name] : {std::pair(&weights.early, "early"),
                                   {&weights.ahead, "ahead"},
                                   {&weights.passing, "passing"}}) {
    const std::vector<TensorIndex> in_order = sorted(*list);
    if (const auto twice = std::ranges::adjacent_find(in_order); twice != in_order.end())
      refuse(planned, "lists " + listed(*twice) + " twice in `" + name + "`");
  }
  for (const TensorIndex t : weights.passing)
    if (std::ranges::find(weights.ahead, t) != weights.ahead.end())
      refuse(planned, "lists " + listed(t) + " in `ahead` and in `passing`");
  if (planned.variant.reduction != 1)
    refuse(planned, "combines a split reduction with weight prefetch, which is not supported");
  if (off_chip::backing(hardware) != nullptr)
    refuse(planned,
           "has weight prefetch, which is not supported on a machine with a backing memory");
  const auto reads = [&](TensorIndex t) {
    return std::ranges::find(part.tensors, t, &tiling::LocalTensor::tensor) != part.tensors.end();
  };
  for (const TensorIndex t : weights.early)
    if (network.tensors[t].kind != TensorKind::weight || !reads(t))
      refuse(planned, "finds " + listed(t) + " early, which is not a weight that it reads");
  const auto is_for_others = [&](TensorIndex t) {
    return network.tensors[t].kind == TensorKind::weight && storage_of(network, t) == t &&
           !reads(t);
  };
  for (const TensorIndex t : weights.ahead) {
    const bool own = network.tensors[t].kind == TensorKind::weight && reads(t);
    if (own && planned.variant.weights != WeightPolicy::resident)
      refuse(planned, "leaves " + listed(t) + " to a later group without resident weights");
    if (!is_for_others(t) && (!own || network.tensors[t].pinned))
      refuse(planned, "loads " + listed(t) + " ahead, which is not a weight for a later group");
  }
  for (const TensorIndex t : weights.passing)
    if (!is_for_others(t))
      refuse(planned,
             "lists " + listed(t) + " as `passing`, which is not a weight for a later group");
  if (!weights.early.empty() && planned.variant.weights != WeightPolicy::resident)
    refuse(planned, "finds weights early without resident weights");
  tiling::set_prefetched(part, hardware, weights);
}

}  // namespace

std::vector<TensorIndex> kept_tensors(const Network& network, const PlannedSubgraph& planned) {
  return sorted(named(network, planned, planned.kept, "keeps"));
}

tiling::PrefetchedWeights early_weights(const Network& network, const PlannedSubgraph& planned) {
  return {sorted(named(network, planned, planned.early, "finds early")),
          named(network, planned, planned.ahead, "loads ahead"),
          named(network, planned, planned.passing, "lists as `passing`")};
}

std::vector<std::string> kept_names(const tiling::Subgraph& part) {
  std::vector<TensorIndex> kept = part.passing;
  for (const tiling::LocalTensor& local : part.tensors)
    if (local.kept) kept.push_back(local.tensor);
  std::ranges::sort(kept);
  std::vector<std::string> names;
  for (const TensorIndex t : kept) names.push_back(part.network->tensors[t].name);
  return names;
}

Piece make_piece(tiling::Subgraph part, const tiling::TileSpace& space, tiling::TileGrid grid,
                 tiling::Lowering lowering) {
  Piece piece;
  piece.demands = tiling::demands(part, space, lowering, grid.tiles);
  for (const tiling::TileRegions& tile : grid.tiles) {
    const std::vector<Size> sizes = tiling::tile_sizes(part, space, lowering, tile);
    const auto holds = std::ranges::find_if(piece.demands, [&](const std::vector<Size>& demand) {
      return tiling::covers(demand, sizes);
    });
    piece.demand_of_tile.push_back(static_cast<std::size_t>(holds - piece.demands.begin()));
  }
  piece.part = std::move(part);
  piece.grid = std::move(grid);
  piece.lowering = std::move(lowering);
  return piece;
}

bool splits_sums(const Hardware& hardware) {
  return off_chip::backing(hardware) == nullptr;
}

tiling::Subgraph planned_part(const Network& network, const Hardware& hardware,
                              const PlannedSubgraph& planned,
                              const std::vector<std::optional<OpIndex>>& readers) {
  tiling::Subgraph part = tiling::make_subgraph(network, planned.ops, readers, hardware,
                                                kept_tensors(network, planned));
  set_prefetched(network, hardware, planned, part);
  if (planned.variant.reduction == 1) return part;
  if (planned.variant.halo != HaloPolicy::recompute || planned.variant.one_copy != OneCopy::none)
    refuse(planned,
           "has a split reduction, which needs recomputed halos and no single copies of "
           "double-buffered tensors");
  if (!splits_sums(hardware))
    refuse(planned,
           "has a split reduction, which is not supported on a machine with a backing memory");
  std::optional<tiling::Subgraph> split =
      tiling::split_reduction(part, hardware, planned.variant.reduction);
  if (!split)
    refuse(planned, "has no product whose reduction can be split into " +
                        std::to_string(planned.variant.reduction) + " parts");
  return *std::move(split);
}

Piece make_piece(const Network& network, const Hardware& hardware, const PlannedSubgraph& planned,
                 const std::vector<std::optional<OpIndex>>& readers) {
  if (planned.ops.first > planned.ops.last || planned.ops.last >= network.ops.size())
    refuse(planned,
           "does not exist: the network has " + std::to_string(network.ops.size()) + " ops");
  tiling::Subgraph part = planned_part(network, hardware, planned, readers);
  tiling::TileGeometry geometry(part, planned.variant.halo);
  const tiling::TileSpace& space = geometry.space();
  tiling::TileShape shape;
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis) {
    shape.extent[axis] = planned.extent[axis];
    const Dim all = space.whole.extent[axis];
    if (planned.extent[axis] < 1 || planned.extent[axis] > all ||
        (!space.axis[axis] && planned.extent[axis] != all))
      refuse(planned, "cannot have tiles of extent " + std::to_string(planned.extent[axis]) +
                          " where its output has " + std::to_string(all));
  }
  if (planned.variant.stationary != Stationary::none &&
      planned.variant.halo != HaloPolicy::recompute)
    refuse(planned, "cannot combine halo reuse with another stationary operand");
  if (planned.variant.stationary == Stationary::weights &&
      planned.variant.weights == WeightPolicy::resident)
    refuse(planned, "has weights that are both resident and stationary");
  if (planned.variant.one_copy != OneCopy::none &&
      (!planned.variant.double_buffer || planned.variant.stationary != Stationary::none ||
       planned.variant.halo != HaloPolicy::recompute))
    refuse(planned,
           "has single copies, which need double buffering, recomputed halos and no stationary "
           "operand");
  if (planned.variant.trailing != 0) {
    if (!planned.variant.double_buffer || planned.variant.halo != HaloPolicy::recompute ||
        planned.variant.stationary != Stationary::none ||
        planned.variant.one_copy != OneCopy::none || planned.variant.reduction != 1 ||
        planned.variant.direct != Direct::none)
      refuse(planned,
             "has pipelined last ops, which need double buffering, recomputed halos, no stationary "
             "operand, no split reduction, no single copies and no direct off-chip access");
    const std::vector<std::int64_t> choices = tiling::trailing_choices(part, hardware);
    if (std::ranges::find(choices, planned.variant.trailing) == choices.end())
      refuse(planned, "pipelines its last " + std::to_string(planned.variant.trailing) + " of " +
                          std::to_string(part.steps()) +
                          " ops, which needs `engines: side_by_side`, a first pipelined op in "
                          "another queue than the op before it, and no pipelined op that reads a "
                          "resident tensor while earlier ops compute parts of it again");
  }
  if (planned.variant.direct != Direct::none) {
    if (planned.variant.halo != HaloPolicy::recompute ||
        planned.variant.stationary != Stationary::none ||
        planned.variant.one_copy != OneCopy::none || planned.variant.reduction != 1)
      refuse(planned,
             "has direct off-chip access, which needs recomputed halos, no stationary operand, no "
             "split reduction and no single copies");
    const Direct there = tiling::direct_of(part, hardware, planned.variant.direct);
    if (part.steps() > 1)
      refuse(planned, "has direct off-chip access, which needs a group of one op");
    if (there != planned.variant.direct)
      refuse(
          planned,
          std::string("has more direct off-chip access than its engine supports: ") +
              (there == Direct::none ? "the engine has none"
               : there == Direct::inputs
                   ? "the engine reads inputs there, but its outputs are not stored in that memory"
                   : "the engine writes outputs there, but its inputs are not stored in that "
                     "memory"));
  }
  tiling::TileGrid grid = geometry.grid(shape);
  if (grid.counts != planned.counts) refuse(planned, "states another number of tiles");
  tiling::Lowering lowering = tiling::lower(part, space, hardware, planned.variant);
  for (const tiling::LaterShare& later : lowering.later)
    if (part.tensors[later.tensor].early)
      refuse(planned, "finds '" + part.tensor(later.tensor).name +
                          "' early, but its engines need more than one copy of it");
  return make_piece(part, space, std::move(grid), std::move(lowering));
}

PlacementProblem piece_problem(const Piece& piece, std::size_t index) {
  PlacementProblem problem = piece.lowering.problem;
  for (std::size_t b = 0; b < problem.buffers.size(); ++b)
    problem.buffers[b].size = piece.demands[index][b];
  return problem;
}

cost::TiledGroup piece_run(const Piece& piece, const Hardware& hardware,
                           const std::vector<PlannedPlacement>& placements) {
  cost::TiledGroup run{.subgraph = &piece.part,
                       .grid = &piece.grid,
                       .lowering = &piece.lowering,
                       .hardware = &hardware,
                       .placements = {}};
  for (const std::size_t demand : piece.demand_of_tile)
    run.placements.push_back(&placements[demand]);
  return run;
}

std::vector<PlannedLayer> piece_layers(const Piece& piece, const cost::GroupCost& cost) {
  std::vector<PlannedLayer> layers;
  std::int64_t longest = 0;  // over the parts of an op
  for (std::size_t k = 0; k < cost.layers.size(); ++k) {
    const cost::LayerCost& layer = cost.layers[k];
    const Op& op = piece.part.op(static_cast<Step>(k));
    if (piece.part.planned_op(static_cast<Step>(k)) < layers.size()) {
      PlannedLayer& all = layers.back();
      all.compute_cycles += layer.compute_cycles;
      all.cycles += layer.cycles;
      all.offchip_bytes += layer.offchip_bytes;
      all.energy_pj += layer.energy_pj;
      if (layer.cycles > longest) all.bound_by = std::string(cost::to_string(layer.limiter));
      longest = std::max(longest, layer.cycles);
      continue;
    }
    longest = layer.cycles;
    layers.push_back({.op = op.name,
                      .kind = std::string(tiling::report_kind(*piece.part.network, op)),
                      .compute_cycles = layer.compute_cycles,
                      .cycles = layer.cycles,
                      .offchip_bytes = layer.offchip_bytes,
                      .energy_pj = layer.energy_pj,
                      .bound_by = std::string(cost::to_string(layer.limiter))});
  }
  return layers;
}

}  // namespace tessera::planner
