// Explains why a problem is infeasible.
//
//   Explanation why = explain(problem, {.limits = {.timeout = 30s}});
//   if (why.status == Status::infeasible) std::cout << why.text;
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api.h"
#include "limits.h"
#include "placement.h"
#include "problem.h"

namespace tessera {

/// Limits of the search for an explanation.
struct ExplainParams {
  Limits limits{};
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
