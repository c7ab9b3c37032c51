// One subgraph of a plan with everything that follows from its ops, its tiling and its variant.
// Private to planner/.
//
//   Piece piece = make_piece(net, hardware, planned, tiling::last_readers(net));
//   check(piece_problem(piece, k), planned.placements[k].placement);
//   RunCost cost = run_cost(piece_run(piece, hardware, planned.placements));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost/tiled_run.h"
#include "tessera/network_plan.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"
#include "tiling/subgraph.h"

namespace tessera::planner {

struct Piece {
  tiling::Subgraph part;
  tiling::TileGrid grid;
  tiling::Lowering lowering;
  std::vector<std::vector<Size>> demands;   ///< sizes of each placement there has to be
  std::vector<std::size_t> demand_of_tile;  ///< per grid.tiles: the first demand that covers it
};

/// What the subgraph says that it keeps. Throws std::invalid_argument for what is no tensor.
[[nodiscard]] std::vector<TensorIndex> kept_tensors(const Network& network,
                                                    const PlannedSubgraph& planned);
/// Likewise of weights that come early.
[[nodiscard]] tiling::PrefetchedWeights early_weights(const Network& network,
                                                      const PlannedSubgraph& planned);
/// What a run keeps, and what waits while it works.
[[nodiscard]] std::vector<std::string> kept_names(const tiling::Subgraph& part);

/// Are there runs whose sums come in parts? Not where a memory lies behind another one: what comes
/// from there are whole weights.
[[nodiscard]] bool splits_sums(const Hardware& hardware);

/// The run as it is planned: what it keeps on the chip, and its sums in parts where they are.
/// Throws std::invalid_argument, with a sentence, where the network or the machine has no such run.
/// require: readers is last_readers(network), which takes as long as the network is large
[[nodiscard]] tiling::Subgraph planned_part(const Network& network, const Hardware& hardware,
                                            const PlannedSubgraph& planned,
                                            const std::vector<std::optional<OpIndex>>& readers);

/// Throws std::invalid_argument, with a sentence, where ops, extents or variant do not fit the
/// network.
/// require: readers is last_readers(network), which takes as long as the network is large
[[nodiscard]] Piece make_piece(const Network& network, const Hardware& hardware,
                               const PlannedSubgraph& planned,
                               const std::vector<std::optional<OpIndex>>& readers);

/// The same from parts that are there already.
[[nodiscard]] Piece make_piece(tiling::Subgraph part, const tiling::TileSpace& space,
                               tiling::TileGrid grid, tiling::Lowering lowering);

/// The problem with the sizes of demand `index`.  require: index < demands.size().
[[nodiscard]] PlacementProblem piece_problem(const Piece& piece, std::size_t index);

/// The tiled run of the piece with one placement per demand; it points into all three.
[[nodiscard]] cost::TiledRun piece_run(const Piece& piece, const Hardware& hardware,
                                       const std::vector<PlannedPlacement>& placements);

/// One per op of the run.  require: cost is run_cost() of it.
[[nodiscard]] std::vector<PlannedLayer> piece_layers(const Piece& piece, const cost::RunCost& cost);

}  // namespace tessera::planner
