// The rules and parts of the engines that can be switched off, for measurements and for doubts.
//
//   for (const SwitchInfo& each : switch_list()) std::cout << each.name << ": " << each.what;
//   PlaceParams without{.engine = "learning", .switches = {"learning.balance=off"}};  // place.h
//
// No switch changes an answer, only how soon it comes (and whether it comes before a limit).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api.h"

namespace tessera {

struct SwitchInfo {
  std::string_view name;   ///< "canonical.dominance": the engine, then the rule
  std::string_view what;   ///< one line
  std::string range;       ///< "on, off" or "1 or more"
  std::string by_default;  ///< "on", "off" or a number
};

/// Engine by engine, in the order in which their documentation tells of them.
[[nodiscard]] TESSERA_API std::vector<SwitchInfo> switch_list();

}  // namespace tessera
