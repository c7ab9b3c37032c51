// Local search for cheap placements: moves one buffer at a time to the place of least cost.
//
//   CostMoves cheap = cheapest_by_moves(problem, {.budget = soon, .start = &placement});
//   if (cheap.placement) use(*cheap.placement, cheap.cost);          // passes the checker
//
// The state is a place for every buffer. Violated pairs count with a weight that grows while
// placements are invalid and shrinks while they are valid. Therefore the search crosses the border
// of feasibility repeatedly (strategic oscillation: Gendreau, Hertz, Laporte 1994). A move takes a
// paying buffer to its cheapest place, where it stays for a while (tabu search: Hertz and de Werra
// 1987). A failure proves nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "model/budget.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::search {

struct CostMovesParams {
  Budget budget{};  ///< a node is an evaluation of all places of one buffer
  std::uint64_t seed = 0;
  const Placement* start = nullptr;  ///< initial state, valid or not; may be null
  Cost enough = 0;                   ///< stop at a placement that pays no more
  /// Stops after this many evaluations without an improvement, or as many as the last one took.
  std::int64_t patience = 500'000;
};

struct CostMoves {
  std::optional<Placement> placement;  ///< the cheapest found, including `start` if it is valid
  Cost cost = 0;
  StopReason stop = StopReason::completed;
  std::int64_t evaluations = 0;
};

/// Empty if a rule is about more than addresses, lives and pairs, if a buffer may choose its
/// memory, or if there are too many buffers. Deterministic unless a time limit ends it.
/// require: validate(problem) is empty.
[[nodiscard]] CostMoves cheapest_by_moves(const PlacementProblem& problem,
                                          const CostMovesParams& params);

}  // namespace tessera::search
