// Decides whether a placement exists, and chooses the order of engines.
//
//   Decision answer = decide(problem, params, {.engine = "auto", .threads = 2});
//   if (answer.found.status == Status::infeasible) std::cout << answer.engine << " proved it";
//
// auto: bounds -> greedy (in reverse order if bounds are slower) -> for very many buffers a few
// rounds of boxing -> a race of two complete engines, plus boxing for very many buffers. Canonical
// search has a head start in the race, or the learning engine if a forest predicts an advantage. If
// canonical search does not support the problem, it first runs with a small budget on the problem
// without bank rules: infeasibility carries over, and a placement is checked against all rules.
// place() in place.h calls decide() once or many times and checks the result.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "placer/switches.h"

namespace tessera::placer {

struct DecideParams {
  std::string engine = "auto";
  EngineParams engines{};  ///< how engines are made
  int threads = 2;
  bool skip_greedy = false;                           ///< greedy placement is known to fail
  bool skip_bounds = false;                           ///< the caller has computed the bounds
  std::function<void(std::string_view phase)> phase;  ///< called when a phase begins; may be empty
};

struct Decision {
  engine::SearchResult found;
  std::string engine;  ///< the engine that decided
};

/// require: validate(problem) is empty, `engine` is "auto" or the name of one that supports the
/// problem with params.goal.
/// ensure: with Objective::cost, modes or switches a placement is optimal iff found.bound equals
/// its value.
[[nodiscard]] Decision decide(const PlacementProblem& problem, const engine::SearchParams& params,
                              const DecideParams& settings);

/// Runs each engine of the race in turn on the calling thread, without bounds and greedy placement,
/// for callers with queries about many heights. params.budget.max_nodes counts nodes of canonical
/// search; other engines get the same amount of work.
[[nodiscard]] engine::SearchResult decide_by_turns(const PlacementProblem& problem,
                                                   const engine::SearchParams& params,
                                                   const EngineParams& engines);

}  // namespace tessera::placer
