// How much a call may take: one struct for every question the library answers.
//
//   std::stop_source source;
//   Limits limits{.timeout = 10s, .memory = Size{256} << 20U, .threads = 2};
//   limits.stop = source.get_token();
//   PlacementResult result = place(problem, {.limits = limits});           // place.h
//   if (result.status == Status::unknown) std::cout << to_string(result.stop);
//   // a limit is not a "no"
//
// A limit ends a call with the best answer so far; it never turns into a "no". All of them hold in
// every phase of a call: while models are built as well as while they are searched.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>

#include "units.h"

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

}  // namespace tessera
