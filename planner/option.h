// One way to run some ops: tiled in a variant, placed and simulated.
// Private to planner/.
#pragma once

#include <string_view>
#include <vector>

#include "cost/array_memo.h"
#include "planner/plan_memory.h"
#include "search/tiles/tile_search.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// Variants, easiest first, since their infeasibility implies that of others: single-buffered ones
/// first, of these the ones that refetch weights. Halos are recomputed unless the machine always
/// keeps them. Inputs and outputs pass through on-chip memory unless the machine never does that.
[[nodiscard]] std::vector<TileVariant> lowering_variants(const tiling::Subgraph& part,
                                                         const Hardware& hardware);
/// The machine's options reduced to those used by lowering_variants().
[[nodiscard]] TilingOptions lowering_options(TilingOptions tiling);

/// Variants in which an op that runs alone accesses more operands off chip directly. Tried last of
/// all (run_by_run.h), or if nothing else fits.
[[nodiscard]] std::vector<TileVariant> direct_variants(const tiling::Subgraph& part,
                                                       const Hardware& hardware);

/// Variants in which halos, inputs or weights remain on chip from tile to tile, tried in addition.
/// Weights are resident only in groups with at most one weighted op: bounds for weights that no
/// tiling can keep hold for these.
[[nodiscard]] std::vector<TileVariant> staying_variants(const tiling::Subgraph& part,
                                                        const Hardware& hardware);

/// Variants with one copy of some of the double-buffered buffers (OneCopy), tried last.
[[nodiscard]] std::vector<TileVariant> one_copy_variants(const tiling::Subgraph& part,
                                                         const Hardware& hardware);

/// Variants with pipelined last ops (tiling/trailing.h), tried last as well.
[[nodiscard]] std::vector<TileVariant> trailing_variants(const tiling::Subgraph& part,
                                                         const Hardware& hardware);

/// lowering_variants() and staying_variants().
[[nodiscard]] std::vector<TileVariant> variants_of(const tiling::Subgraph& part,
                                                   const Hardware& hardware);

/// Variants of a group with a reduction in so many parts.
[[nodiscard]] std::vector<TileVariant> in_parts(std::vector<TileVariant> variants,
                                                std::int64_t parts);

/// True if everything that fits in the variant `hard` fits in `easy`. Double buffering adds copies
/// and longer lives. Without it, refetched weights live shorter and are no larger. (With it they
/// may need two copies.) Resident data lives longer, too.
[[nodiscard]] bool easier(const TileVariant& easy, const TileVariant& hard);

/// The shape in that variant, without ops, names, places and costs. Ops and names differ between
/// groups of one structure.
[[nodiscard]] PlannedSubgraph bare_option(const tiling::TileSpace& space,
                                          const TileVariant& options,
                                          const tiling::TileShape& shape);

/// With places and costs. `known` has all costs but the peak.  require: found is feasible.
[[nodiscard]] PlannedSubgraph make_option(const tiling::TileGeometry& geometry,
                                          const Hardware& hardware, const TileVariant& options,
                                          search::TileSearchResult found, std::string_view engine,
                                          cost::ArrayMemo& arrays, Poll& poll,
                                          const KnownCost* known = nullptr);

}  // namespace tessera::planner
