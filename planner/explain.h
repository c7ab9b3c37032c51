// Why is it infeasible? In words.
//
//   Story why = tell_why(problem, {.limits = {.timeout = 30s}});
//   if (why.status == Status::infeasible) std::cout << why.text;
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../model/api.h"
#include "../model/placement.h"
#include "../model/problem.h"
#include "limits.h"

namespace tessera {

struct StoryParams {
  Limits limits{};
};

/// A set of buffers and hardware rules that cannot be placed together.
struct Story {
  Status status = Status::unknown;  ///< feasible: there is nothing to explain
  StopReason stop = StopReason::completed;
  bool minimal = false;                ///< without any one member the rest can be placed: proved
  std::vector<BufferIndex> buffers{};  ///< sorted
  std::vector<std::string> rules{};    ///< "the relation same_bank {a, b}", ...
  std::optional<Step> step{};          ///< where most of these buffers are live
  std::optional<MemoryIndex> memory{};
  Size asked = 0;      ///< bytes they occupy at `step`
  Size available = 0;  ///< bytes there are
  std::optional<Size> smallest_capacity{};
  std::string text{};  ///< all of it in words
};

/// Throws BadInput if validate(problem) is not empty.
[[nodiscard]] TESSERA_API Story tell_why(const PlacementProblem& problem,
                                         const StoryParams& params);

}  // namespace tessera
