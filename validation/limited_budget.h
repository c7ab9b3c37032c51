// What becomes of the limits a user sets: the budget that every engine polls.
//
//   const LimitedBudget limited(params.limits);
//   engine.solve(problem, {.budget = limited.budget()});
#pragma once

#include <memory>

#include "model/budget.h"
#include "tessera/limits.h"

namespace tessera::validation {

/// A Budget for engines, and what has to live as long as it is used.
class LimitedBudget {
 public:
  /// The clock starts now. Throws BadInput for a negative time limit, for no work, no memory and
  /// no thread.
  explicit LimitedBudget(const Limits& limits);
  [[nodiscard]] const Budget& budget() const { return budget_; }

 private:
  std::unique_ptr<MemoryWatch> watch_;
  Budget budget_;
};

/// What is left of the time and the memory for a call within a call. A limit on memory begins with
/// what the process has when a call does: handed on as it is, each call would have all of it again.
[[nodiscard]] Limits rest_of(Limits limits, const Budget& budget);

/// Without the last `part`th of the time that is left.
[[nodiscard]] Budget without_last(int part, Budget budget);

/// Bytes of the process that are in memory now; 0 where the platform does not say.
[[nodiscard]] Size resident_memory();

}  // namespace tessera::validation
