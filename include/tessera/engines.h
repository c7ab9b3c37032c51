// The list of solvers, for help texts and for PlaceParams::engine.
//
//   for (const EngineInfo& each : engine_list())
//     std::cout << each.name << ": " << each.what << '\n';
#pragma once

#include <span>
#include <string_view>

#include "api.h"

namespace tessera {

/// A solver and its properties.
struct EngineInfo {
  std::string_view name;
  std::string_view what;  ///< one line for help texts
  /// Does it decide every problem that it supports, given enough time? An incomplete solver finds
  /// placements, and reports "infeasible" only if a bound proves it.
  bool complete = true;
  /// Can it write certificates?
  bool writes_proofs = false;
};

/// In order of preference among equal results.
[[nodiscard]] TESSERA_API std::span<const EngineInfo> engine_list();

}  // namespace tessera
