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
  /// Does it decide every problem it takes, if it has the time? Others may give up: they find
  /// placements, and say "infeasible" where that is proved at once or never.
  bool complete = true;
  /// Does it write certificates of what it proved?
  bool writes_proofs = false;
};

/// In the order in which equal answers are preferred.
[[nodiscard]] TESSERA_API std::span<const EngineInfo> engine_list();

}  // namespace tessera
