// Converts user limits to the budget that every engine polls.
//
//   const LimitedBudget limited(params.limits);
//   engine.solve(problem, {.budget = limited.budget()});
#pragma once

#include <memory>

#include "model/budget.h"
#include "tessera/limits.h"

namespace tessera::validation {

/// A Budget for engines, and the objects it depends on.
class LimitedBudget {
 public:
  /// Starts the clock. Throws BadInput for a negative time limit, and for limits of no work, no
  /// memory or no thread.
  explicit LimitedBudget(const Limits& limits);
  [[nodiscard]] const Budget& budget() const { return budget_; }

 private:
  std::unique_ptr<MemoryWatch> watch_;
  Budget budget_;
};

/// The remaining time and memory for a nested call. A memory limit counts from the memory of the
/// process at the begin of a call; passed on unchanged, it would grant each nested call the full
/// amount again.
[[nodiscard]] Limits rest_of(Limits limits, const Budget& budget);

/// Without the last 1/part of the remaining time.
[[nodiscard]] Budget without_last(int part, Budget budget);

/// Resident memory of the process in bytes; 0 if the platform does not report it.
[[nodiscard]] Size resident_memory();

}  // namespace tessera::validation
