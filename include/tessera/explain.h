// Explains why a problem is infeasible.
//
//   Explanation why = explain(problem, {.limits = {.timeout = 30s}});
//   if (why.status == Status::infeasible) std::cout << why.text;
//
// Calls share no state; threads may call explain() at the same time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api.h"
#include "limits.h"
#include "placement.h"
#include "problem.h"

namespace tessera {

/// Parameters of explain().
struct ExplainParams {
  Limits limits{};
  /// As PlaceParams::minimize (place.h). If the benefit is among these objectives, optional buffers
  /// may be left out, so they are never part of a conflict. Otherwise all buffers have to be
  /// placed.
  std::optional<Objective> minimize = Objective::fit;
};

/// Buffers and hardware rules that cannot be satisfied together.
struct Explanation {
  Status status = Status::unknown;  ///< feasible: nothing to explain
  StopReason stop = StopReason::completed;
  bool minimal = false;                 ///< proved: without any one member the rest can be placed
  std::vector<BufferIndex> buffers{};   ///< sorted
  std::vector<std::string> rules{};     ///< "the relation same_bank {a, b}", ...
  std::optional<Step> step{};           ///< the step at which these buffers need the most bytes
  std::optional<MemoryIndex> memory{};  ///< empty if the buffers may use several memories
  Size asked = 0;                       ///< bytes they occupy at `step`; 0 without one
  Size available = 0;                   ///< bytes available there; 0 without a step
  /// Of `memory`, for these buffers with all their rules, listed or not. Empty if `memory` is
  /// empty or has banks, or if the search was too long.
  std::optional<Size> smallest_capacity{};
  std::string text{};  ///< the explanation as text
};

/// ensure: throws BadInput if validate(problem) is not empty.
[[nodiscard]] TESSERA_API Explanation explain(const PlacementProblem& problem,
                                              const ExplainParams& params = {});

}  // namespace tessera
