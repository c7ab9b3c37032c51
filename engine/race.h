// Several engines on one question, side by side; the answer does not depend on who was scheduled.
//
//   RaceResult won = race(problem, {{*canonical, 2000}, {*learning, 30000}}, params, 2);
//   report(won.found, names[won.winner]);
//
// Every engine counts its work in its own units (WorkMeter in model/budget.h); units times
// ns_per_unit is its virtual time. A proof of infeasibility ends the race at once: it is true
// whoever has it. A placement found at virtual time v ends it as soon as the others have
// spent v without one, and the earliest in virtual time wins. So the placement depends on the seed
// alone, for one thread as well as for two, unless a limit ends the race first. Whoever is expected
// to be the slower one may begin at a later virtual time (begins_at). (An engine that
// does not count its work cannot be held to this: it wins or loses by the clock.) An engine that
// runs out of memory is out of the race; the answer's reason names it, and the others go on.
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
  /// Virtual time at which it begins: what it finds comes so much later, and on one thread the
  /// others have so much for themselves. 0 for the first contender, and where somebody does not
  /// count.
  double begins_at = 0;
};

/// engine.solve(), for which running out of memory, also for the stack of a thread, is a limit like
/// the others: then nothing is known, and `reason` says who ran out of it.
[[nodiscard]] SearchResult solve_within_memory(PlacementEngine& engine,
                                               const PlacementProblem& problem,
                                               const SearchParams& params);

/// What stands in for the answer of an engine that could not even begin.
[[nodiscard]] SearchResult out_of_memory(std::string_view who);

struct RaceResult {
  SearchResult found;
  std::size_t winner = 0;  ///< position among the contenders
};

struct TurnResult {
  RaceResult won;
  bool limited = false;  ///< one at least was stopped by its share: a larger one may decide
};

/// One turn for each contender on the calling thread, of `share_ns` of virtual time.
[[nodiscard]] TurnResult take_turns(const PlacementProblem& problem,
                                    const std::vector<Contender>& contenders,
                                    const SearchParams& params, double share_ns);

/// require: at least one contender, each supports the problem and the goal; threads >= 1; no proof
/// is asked for.
/// ensure: with one thread only one of them works at a time, in turns; otherwise each has a thread
/// of its own, and more contenders than processors share these fairly.
[[nodiscard]] RaceResult race(const PlacementProblem& problem,
                              const std::vector<Contender>& contenders, const SearchParams& params,
                              int threads);

}  // namespace tessera::engine
