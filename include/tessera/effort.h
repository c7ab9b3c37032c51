// Default effort per placement query: search nodes after which a query counts as unresolved.
//
//   TileParams params{.nodes_per_question = 10 * nodes_per_tile_question};          // tile.h
#pragma once

#include <cstdint>

namespace tessera {

/// For the queries of one tile search (tile.h). It makes some dozens of queries, and each
/// unresolved one may be the largest tile, so a query may take seconds.
inline constexpr std::int64_t nodes_per_tile_question = 1'000'000;

/// For the queries of a plan (plan.h). A plan makes tens of thousands. Most need a few nodes, and a
/// group without a tile has alternatives, so the limit is a fiftieth of the above.
inline constexpr std::int64_t nodes_per_plan_question = 20'000;

}  // namespace tessera
