// Is there a placement at all? The order in which engines are asked.
//
//   Decision answer = decide(problem, params, {.engine = "auto", .threads = 2});
//   if (answer.found.status == Status::infeasible) std::cout << answer.engine << " proved it";
//
// auto: bounds -> greedy (the other way round where bounds take longer) -> for very many buffers a
// few rounds of boxing -> a race of two complete engines, and of boxing for very many buffers. The
// canonical search has a head start in it, or the learning engine where a forest expects more of
// that. Where the canonical search does not take the problem it is first asked with a small budget
// about the one without bank rules: its "no" counts, its placement is tried. place() in place.h is
// this, once or many times, and the checker behind it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "placer/switches.h"

namespace tessera::placer {

struct DecideParams {
  std::string engine = "auto";
  EngineParams engines{};  ///< how each of them is made
  int threads = 2;
  bool skip_greedy = false;                           ///< where it is known to find nothing
  bool skip_bounds = false;                           ///< likewise: whoever asks looked at them
  std::function<void(std::string_view phase)> phase;  ///< called when a phase begins; may be empty
};

struct Decision {
  engine::SearchResult found;
  std::string engine;  ///< who decided
};

/// require: validate(problem) is empty, `engine` is "auto" or the name of one that supports the
/// problem with params.goal.
/// ensure: with Objective::cost or Objective::modes a placement is optimal iff found.bound equals
/// its value.
[[nodiscard]] Decision decide(const PlacementProblem& problem, const engine::SearchParams& params,
                              const DecideParams& settings);

/// One turn for each engine of the race, on the calling thread and without bounds and greedy
/// placement, for callers that ask about many heights. params.budget.max_nodes counts nodes of the
/// canonical search; other engines get the same share of work.
[[nodiscard]] engine::SearchResult decide_by_turns(const PlacementProblem& problem,
                                                   const engine::SearchParams& params,
                                                   const EngineParams& engines);

}  // namespace tessera::placer
