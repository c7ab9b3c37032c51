// Plans for the search for modes: taken from the store, or made and stored.
//
//   const ModePlan plan = load_or_plan({network, hardware, params, key, timed_key, store, ended});
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
  std::string timed_key;   ///< key of results that more time may change
  std::string dtype{};     ///< element type with which the network was read
  Store* store = nullptr;  ///< null: nothing is stored
  std::function<bool()> ended{};
  /// A plan that the caller already has, with its JSON.
  std::optional<KnownPlan> known{};
  std::string json{};
};

/// Index among the on-chip memories, and name of the mode.
using UsedMode = std::pair<MemoryIndex, std::string>;

struct ModePlan {
  KnownPlan known;
  std::set<UsedMode> used;  ///< if there is a plan
  bool made = false;        ///< newly made
};

[[nodiscard]] ModePlan load_or_plan(const ModeQuestion& question);

}  // namespace tessera::explorer
