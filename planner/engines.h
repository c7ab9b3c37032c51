// The list of everything that places buffers, by name.
//
//   for (const EngineEntry& entry : engine_list()) std::cout << entry.name << ": " << entry.what <<
//   '\n'; std::unique_ptr<PlacementEngine> engine = make_engine("canonical");
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "../model/api.h"
#include "../model/engine.h"

namespace tessera {

struct EngineEntry {
  std::string_view name;
  std::string_view what;  ///< one line for help texts
  std::unique_ptr<PlacementEngine> (*make)() = nullptr;
  /// May it say "infeasible"? A heuristic engine only finds placements.
  bool complete = true;
  /// Rough nanoseconds per unit of WorkMeter: puts engines in a race on one scale. Only the
  /// balance of a race depends on it, never the soundness of an answer. 0: does not count.
  double ns_per_unit = 1000;
  /// Does it write proofs (SearchParams::proof) and refute bounds (SearchParams::at_most)?
  bool writes_proofs = false;
};

/// In the order in which equal answers are preferred.
[[nodiscard]] TESSERA_API std::span<const EngineEntry> engine_list();

/// The entry with this name, nullptr where there is none.
[[nodiscard]] TESSERA_API const EngineEntry* find_engine(std::string_view name);

/// nullptr where there is no engine of this name.
[[nodiscard]] TESSERA_API std::unique_ptr<PlacementEngine> make_engine(std::string_view name);

}  // namespace tessera
