// What can place buffers, by name: for help texts, and for PlaceParams::engine.
//
//   for (const EngineInfo& each : engine_list())
//     std::cout << each.name << ": " << each.what << '\n';
#pragma once

#include <span>
#include <string_view>

#include "api.h"

namespace tessera {

struct EngineInfo {
  std::string_view name;
  std::string_view what;  ///< one line for help texts
  /// May it say "infeasible"? A heuristic engine only finds placements.
  bool complete = true;
  /// Does it write certificates of what it proved?
  bool writes_proofs = false;
};

/// In the order in which equal answers are preferred.
[[nodiscard]] TESSERA_API std::span<const EngineInfo> engine_list();

}  // namespace tessera
