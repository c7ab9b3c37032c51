// How hard one placement question is tried before it is left open, where nobody says otherwise.
//
//   TileParams params{.nodes_per_question = 10 * nodes_per_tile_question};          // tile.h
#pragma once

#include <cstdint>

namespace tessera {

/// Of the questions of one tile search (tile.h), in search nodes. There are some dozens of them,
/// and each that is left open may be the largest tile: seconds are well spent.
inline constexpr std::int64_t nodes_per_tile_question = 1'000'000;

/// Of the questions of a plan (plan.h). There are tens of thousands, most are decided in a few
/// nodes, and for a run whose tile is hard to find there are other covers: a fiftieth of the above.
inline constexpr std::int64_t nodes_per_plan_question = 20'000;

}  // namespace tessera
