// Rules and parts of solvers that can be switched off, for measurements and for diagnosis.
//
//   for (const SwitchInfo& each : switch_list()) std::cout << each.name << ": " << each.what;
//   PlaceParams without{.engine = "learning", .switches = {"learning.balance=off"}};  // place.h
//
// No switch changes a result; switches change the time to reach it, and so whether a limit comes
// first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api.h"

namespace tessera {

/// A switch and its values.
struct SwitchInfo {
  std::string_view name;   ///< "canonical.dominance": the engine, then the rule
  std::string_view what;   ///< one line
  std::string range;       ///< "on, off", "1 or more" or the words
  std::string by_default;  ///< "on", "off", a number or a word
};

/// Grouped by solver, in the order of the documentation.
[[nodiscard]] TESSERA_API std::vector<SwitchInfo> switch_list();

}  // namespace tessera
