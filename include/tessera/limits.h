// Limits of a call; all functions of the library use this struct.
//
//   std::stop_source source;
//   Limits limits{.timeout = 10s, .memory = Size{256} << 20U, .threads = 2};
//   limits.stop = source.get_token();
//   PlacementResult result = place(problem, {.limits = limits});           // place.h
//   if (result.status == Status::unknown) std::cout << to_string(result.stop);
//   // a limit is not a "no"
//
// A limit ends a call with the best result so far, and never turns into a "no". All limits apply in
// every phase of a call, to building models as well as to searching.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>

#include "units.h"

namespace tessera {

/// Limits and resources of a call.
struct Limits {
  std::optional<std::chrono::nanoseconds> timeout{};  ///< of the whole call; empty: none
  /// Search nodes (conflicts in learning solvers) of the whole call. Unlike a timeout, this limit
  /// ends a call at the same point on every machine.
  std::int64_t work = std::numeric_limits<std::int64_t>::max();
  /// Bytes of resident memory that the call may add to what the process has when it begins.
  std::optional<Size> memory{};
  int threads = 2;         ///< at least 1
  std::uint64_t seed = 0;  ///< seed of all random choices
  std::stop_token stop{};  ///< ends the call from another thread
};

}  // namespace tessera
