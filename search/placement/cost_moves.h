// A cheap placement by moving one buffer at a time: which pairs pay is decided anew with each move.
//
//   CostMoves cheap = cheapest_by_moves(problem, {.budget = soon, .start = &placement});
//   if (cheap.placement) use(*cheap.placement, cheap.cost);          // passes the checker
//
// The state is a place for every buffer. Pairs that must be apart and are not count as well, by a
// weight that grows while placements are wrong and shrinks while they are right, so that the search
// goes to and fro over the border (strategic oscillation: Gendreau, Hertz, Laporte 1994). A move
// takes a buffer that pays to where it pays least; then it stays there for a while (tabu search:
// Hertz and de Werra 1987). Finding nothing proves nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "model/budget.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::search {

struct CostMovesParams {
  Budget budget{};  ///< of its nodes, each is a look at all places of one buffer
  std::uint64_t seed = 0;
  const Placement* start = nullptr;  ///< where it begins, if there is one; right or not
  Cost enough = 0;                   ///< a placement that pays no more ends it
  /// It gives up after so many looks without anything cheaper, or as many as the last one took.
  std::int64_t patience = 500'000;
};

struct CostMoves {
  std::optional<Placement> placement;  ///< the cheapest found, `start` among them if it is right
  Cost cost = 0;
  StopReason stop = StopReason::completed;
  std::int64_t evaluations = 0;
};

/// Nothing, and no look, where a rule speaks of other than addresses, lives and pairs, where a
/// buffer may choose its memory, or where there are too many. Equal for equal problem and params
/// unless a limit of time ends it. require: validate(problem) is empty.
[[nodiscard]] CostMoves cheapest_by_moves(const PlacementProblem& problem,
                                          const CostMovesParams& params);

}  // namespace tessera::search
