// Divides the time of a budget among consecutive attempts.
//
//   Budget own = budget;
//   own.deadline = share_of_time(budget, 3);      // a third of what is left
#pragma once

#include <chrono>
#include <cstdint>

#include "model/budget.h"

namespace tessera::engine {

/// The deadline of the first of this many attempts; none if the budget has no deadline.
/// require: attempts >= 1.
[[nodiscard]] inline std::chrono::steady_clock::time_point share_of_time(const Budget& budget,
                                                                         std::int64_t attempts) {
  using Clock = std::chrono::steady_clock;
  if (budget.deadline == Clock::time_point::max()) return budget.deadline;
  const Clock::time_point now = Clock::now();
  return now + (budget.deadline - now) / attempts;
}

}  // namespace tessera::engine
