// Somebody else who may know that nothing is left: asked in the middle of a search.
//
//   const std::unique_ptr<Advisor> advisor = make(problem, params, poll);
//   if (const auto because = advisor->refutes(placed, budget)) go_back_before(*because);
//
// The guided search asks one after every decision (search/guided), encoder/advisor.h makes them of
// solvers. Neither sees the other; who puts them together passes one to the other.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "model/poll.h"

namespace tessera::engine {

/// A buffer of the problem, and where it lies.
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

  /// Those of the placed buffers that are too much together, whatever is done with all others;
  /// empty where the problem has no placement at all. Nothing: that is not known.
  [[nodiscard]] virtual std::optional<std::vector<BufferIndex>> refutes(
      std::span<const Placed> placed, const Budget& budget) = 0;
};

/// Nothing where it cannot take the problem. Throws BudgetEnded.
using MakeAdvisor = std::function<std::unique_ptr<Advisor>(const PlacementProblem& problem,
                                                           const SearchParams& params, Poll& poll)>;

}  // namespace tessera::engine
