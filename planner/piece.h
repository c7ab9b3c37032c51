// One subgraph of a plan with all data derived from its ops, tiling and variant.
// Private to planner/.
//
//   Piece piece = make_piece(net, hardware, planned, tiling::last_readers(net));
//   check(piece_problem(piece, k), planned.placements[k].placement);
//   GroupCost cost = group_cost(piece_run(piece, hardware, planned.placements));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost/tiled_group.h"
#include "tessera/network_plan.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"
#include "tiling/subgraph.h"

namespace tessera::planner {

struct Piece {
  tiling::Subgraph part;
  tiling::TileGrid grid;
  tiling::Lowering lowering;
  std::vector<std::vector<Size>> demands;   ///< buffer sizes per required placement
  std::vector<std::size_t> demand_of_tile;  ///< per grid.tiles: the first demand that covers it
};

/// The tensors named in `kept`. Throws std::invalid_argument if a name is not a tensor.
[[nodiscard]] std::vector<TensorIndex> kept_tensors(const Network& network,
                                                    const PlannedSubgraph& planned);
/// The same for prefetched weights.
[[nodiscard]] tiling::PrefetchedWeights early_weights(const Network& network,
                                                      const PlannedSubgraph& planned);
/// Names of the tensors that a group keeps and of those resident while it runs.
[[nodiscard]] std::vector<std::string> kept_names(const tiling::Subgraph& part);

/// True if the machine has groups with reductions in parts. False with a backing memory, from which
/// only whole weights are fetched.
[[nodiscard]] bool splits_sums(const Hardware& hardware);

/// The group as planned: with its resident tensors, and its reduction in parts if it has one.
/// Throws std::invalid_argument, with a sentence, if the network or the machine has no such group.
/// require: readers is last_readers(network), whose time is proportional to the network
[[nodiscard]] tiling::Subgraph planned_part(const Network& network, const Hardware& hardware,
                                            const PlannedSubgraph& planned,
                                            const std::vector<std::optional<OpIndex>>& readers);

/// Throws std::invalid_argument, with a sentence, if ops, extents or variant do not match the
/// network.
/// require: readers is last_readers(network), whose time is proportional to the network
[[nodiscard]] Piece make_piece(const Network& network, const Hardware& hardware,
                               const PlannedSubgraph& planned,
                               const std::vector<std::optional<OpIndex>>& readers);

/// The same from existing parts.
[[nodiscard]] Piece make_piece(tiling::Subgraph part, const tiling::TileSpace& space,
                               tiling::TileGrid grid, tiling::Lowering lowering);

/// The problem with the sizes of demand `index`.  require: index < demands.size().
[[nodiscard]] PlacementProblem piece_problem(const Piece& piece, std::size_t index);

/// The tiled group of the piece with one placement per demand; it points into all three arguments.
[[nodiscard]] cost::TiledGroup piece_run(const Piece& piece, const Hardware& hardware,
                                         const std::vector<PlannedPlacement>& placements);

/// One per op of the group.  require: cost is group_cost() of it.
[[nodiscard]] std::vector<PlannedLayer> piece_layers(const Piece& piece,
                                                     const cost::GroupCost& cost);

}  // namespace tessera::planner
