// An advisor of a search: a second solver that may refute partial placements.
//
//   const std::unique_ptr<Advisor> advisor = make(problem, params, poll);
//   if (const auto because = advisor->refutes(placed, budget)) go_back_before(*because);
//
// The guided search (search/guided) calls an advisor after every decision; encoder/advisor.h builds
// advisors from SAT solvers. The two modules do not depend on each other: placer/ connects them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "model/poll.h"

namespace tessera::engine {

/// A buffer of the problem and its offset.
struct Placed {
  BufferIndex buffer = 0;
  Offset offset = 0;
};

class Advisor {
 public:
  Advisor() = default;
  Advisor(const Advisor&) = delete;
  Advisor& operator=(const Advisor&) = delete;
  virtual ~Advisor() = default;

  /// A subset of the placed buffers that cannot be completed to a placement. It is empty if the
  /// problem has no placement at all. Nothing if no conflict is known.
  [[nodiscard]] virtual std::optional<std::vector<BufferIndex>> refutes(
      std::span<const Placed> placed, const Budget& budget) = 0;
};

/// Null if the advisor does not support the problem. Throws BudgetEnded.
using MakeAdvisor = std::function<std::unique_ptr<Advisor>(const PlacementProblem& problem,
                                                           const SearchParams& params, Poll& poll)>;

}  // namespace tessera::engine
