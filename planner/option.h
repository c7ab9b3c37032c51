// One way to run some ops: tiled in some variant, placed and simulated.
// Private to planner/.
#pragma once

#include <string_view>
#include <vector>

#include "cost/array_memo.h"
#include "planner/plan_memory.h"
#include "search/tiles/tile_search.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// The easier ones first, since what they say holds for the others: single-buffered, and of those
/// the ones that fetch weights again. Halos are recomputed, unless the machine always keeps them,
/// and what the run reads and writes goes through the chip, unless the machine never does that.
[[nodiscard]] std::vector<TileVariant> lowering_variants(const tiling::Subgraph& part,
                                                         const Hardware& hardware);
/// The machine's options as far as those go.
[[nodiscard]] TilingOptions lowering_options(TilingOptions tiling);

/// Those in which an op that runs alone reads and writes more off the chip itself, tried last of
/// all (run_by_run.h), or where nothing else fits.
[[nodiscard]] std::vector<TileVariant> direct_variants(const tiling::Subgraph& part,
                                                       const Hardware& hardware);

/// Those in which something stays from tile to tile, tried besides: halos, inputs or weights.
/// Weights stay in runs where one op at most has any: what bounds say of weights that no tiling can
/// keep holds for those.
[[nodiscard]] std::vector<TileVariant> staying_variants(const tiling::Subgraph& part,
                                                        const Hardware& hardware);

/// Those with one copy of some of what the run has two copies of (OneCopy), tried last.
[[nodiscard]] std::vector<TileVariant> one_copy_variants(const tiling::Subgraph& part,
                                                         const Hardware& hardware);

/// Those whose last ops trail (tiling/trailing.h), tried last as well.
[[nodiscard]] std::vector<TileVariant> trailing_variants(const tiling::Subgraph& part,
                                                         const Hardware& hardware);

/// lowering_variants() and staying_variants().
[[nodiscard]] std::vector<TileVariant> variants_of(const tiling::Subgraph& part,
                                                   const Hardware& hardware);

/// Those that a run may be in that makes sums in so many parts.
[[nodiscard]] std::vector<TileVariant> in_parts(std::vector<TileVariant> variants,
                                                std::int64_t parts);

/// Does whatever fits in the variant `hard` fit in `easy`? Double buffering adds copies and longer
/// lives to what one tile needs alone; without it, weights that are fetched again live shorter and
/// are no larger. (With it they may need two copies.) What stays lives longer, too.
[[nodiscard]] bool easier(const TileVariant& easy, const TileVariant& hard);

/// The shape in that variant: without ops and names, which differ where structure is shared, places
/// and costs.
[[nodiscard]] PlannedSubgraph bare_option(const tiling::TileSpace& space,
                                          const TileVariant& options,
                                          const tiling::TileShape& shape);

/// With places and costs, which may be known already but for the peak.  require: found is feasible.
[[nodiscard]] PlannedSubgraph make_option(const tiling::TileGeometry& geometry,
                                          const Hardware& hardware, const TileVariant& options,
                                          search::TileSearchResult found, std::string_view engine,
                                          cost::ArrayMemo& arrays, Poll& poll,
                                          const KnownCost* known = nullptr);

}  // namespace tessera::planner
