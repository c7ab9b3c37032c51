// The key under which a plan is stored: everything the plan depends on.
//
//   store.find(plan_key(state.machine, fingerprint(network_yaml(network)), params));
//
// A parameter missing in the key silently yields plans for other parameters. Private to explorer/.
#pragma once

#include <string>

#include "tessera/plan.h"

namespace tessera::explorer {

/// `machine` and `network` are fingerprints. Threads, time, memory, progress and shared caches in
/// `params` are ignored: a proved plan does not depend on them. require: params.reference is set.
[[nodiscard]] std::string plan_key(const std::string& machine, const std::string& network,
                                   const PlanParams& params);

}  // namespace tessera::explorer
