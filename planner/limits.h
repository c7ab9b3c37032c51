// How much a call may take: one struct for every question the library answers.
//
//   std::stop_source source;
//   Limits limits{.timeout = 10s, .memory = Size{256} << 20U, .threads = 2};
//   limits.stop = source.get_token();
//   PlacementResult result = place(problem, {.limits = limits});
//   if (result.status == Status::unknown) say(to_string(result.stop));   // a limit, not a "no"
//
// A limit ends a call with the best answer so far; it never turns into a "no". All of them hold in
// every phase of a call: while models are built as well as while they are searched.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>

#include "../model/api.h"
#include "../model/budget.h"

namespace tessera {

struct Limits {
  std::optional<std::chrono::nanoseconds> timeout{};  ///< of the whole call; nothing: none
  /// Search nodes (conflicts, in engines that learn) of the whole call. Unlike time it makes a call
  /// end in the same place on every machine.
  std::int64_t work = std::numeric_limits<std::int64_t>::max();
  /// Bytes of resident memory the call may take beyond what the process has when it begins.
  std::optional<Size> memory{};
  int threads = 2;         ///< at least 1
  std::uint64_t seed = 0;  ///< start of every random choice
  std::stop_token stop{};  ///< ends the call from another thread
};

/// A Budget for engines, and what has to live as long as it is used.
class LimitedBudget {
 public:
  /// The clock starts now. Throws BadInput for a negative time limit, for no work, no memory and
  /// no thread.
  TESSERA_API explicit LimitedBudget(const Limits& limits);
  [[nodiscard]] const Budget& budget() const { return budget_; }

 private:
  std::unique_ptr<MemoryWatch> watch_;
  Budget budget_;
};

/// Bytes of the process that are in memory now; 0 where the platform does not say.
[[nodiscard]] TESSERA_API Size resident_memory();

}  // namespace tessera
