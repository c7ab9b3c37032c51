// Plans as the search for modes asks for them: known to the store, or made and kept there.
//
//   const ModePlan plan = known_or_made({network, hardware, params, key, timed_key, store, ended});
//   if (plan.known.score) use(plan.used);
//
// Keys are those of candidates: a machine with fewer modes may be a candidate of another sweep.
// Private to explorer/.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "explorer/store.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/plan.h"

namespace tessera::explorer {

struct ModeQuestion {
  const Network& network;
  const Hardware& hardware;
  const PlanParams& params;
  std::string key;
  std::string timed_key;   ///< of an answer that more time may change
  std::string dtype{};     ///< the network was read with
  Store* store = nullptr;  ///< none: nothing is kept
  std::function<bool()> ended{};
  /// A plan that is known to whoever asks, with its JSON.
  std::optional<KnownPlan> known{};
  std::string json{};
};

/// A memory on the chip, by its place among those, and the name of a mode.
using UsedMode = std::pair<MemoryIndex, std::string>;

struct ModePlan {
  KnownPlan known;
  std::set<UsedMode> used;  ///< where there is a plan
  bool made = false;        ///< now
};

[[nodiscard]] ModePlan known_or_made(const ModeQuestion& question);

}  // namespace tessera::explorer
