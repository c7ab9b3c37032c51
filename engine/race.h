// Several engines on one query; the result does not depend on the thread scheduling.
//
//   RaceResult won = race(problem, {{*canonical, 2000}, {*learning, 30000}}, params, 2);
//   report(won.found, names[won.winner]);
//
// Every engine counts its work in its own units (WorkMeter in model/budget.h); units times
// ns_per_unit is its virtual time. A proof of infeasibility ends the race at once. A placement
// found at virtual time v ends it as soon as the others have spent v without one. The earliest
// placement in virtual time wins. Therefore the placement depends only on the seed, with one thread
// as with two, unless a limit ends the race. A slower engine may begin at a later virtual time
// (begins_at). An engine that does not count its work wins or loses by the clock. An engine that
// runs out of memory leaves the race; the result's reason names it, and the others continue.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace tessera::engine {

struct Contender {
  std::reference_wrapper<PlacementEngine> engine;
  double ns_per_unit = 1000;  ///< 0: the engine does not count its work
  /// Virtual time at which it begins: its results come later by this much, and with one thread the
  /// others run alone until then. 0 for the first contender, and if any contender does not count
  /// its work.
  double begins_at = 0;
};

/// Calls engine.solve(). Running out of memory, also for a thread's stack, is a limit: the status
/// is unknown, and `reason` names the engine.
[[nodiscard]] SearchResult solve_within_memory(PlacementEngine& engine,
                                               const PlacementProblem& problem,
                                               const SearchParams& params);

/// The result of an engine that could not begin.
[[nodiscard]] SearchResult out_of_memory(std::string_view who);

struct RaceResult {
  SearchResult found;
  std::size_t winner = 0;  ///< position among the contenders
};

struct TurnResult {
  RaceResult won;
  bool limited = false;  ///< a contender was stopped by its share: a larger one may decide
};

/// One turn of `share_ns` of virtual time for each contender, on the calling thread.
[[nodiscard]] TurnResult take_turns(const PlacementProblem& problem,
                                    const std::vector<Contender>& contenders,
                                    const SearchParams& params, double share_ns);

/// require: at least one contender; each supports the problem and the goal; threads >= 1; no proof
/// is requested.
/// ensure: with one thread the contenders take turns. Otherwise each has its own thread, and more
/// contenders than processors share these fairly.
[[nodiscard]] RaceResult race(const PlacementProblem& problem,
                              const std::vector<Contender>& contenders, const SearchParams& params,
                              int threads);

}  // namespace tessera::engine
