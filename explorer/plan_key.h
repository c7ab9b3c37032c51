// The name a plan is stored under: everything its answer depends on, and nothing else.
//
//   store.find(plan_key(state.machine, fingerprint(network_yaml(network)), params));
//
// What is forgotten here is an answer to another question taken from the store, without a word.
// Private to explorer/.
#pragma once

#include <string>

#include "tessera/plan.h"

namespace tessera::explorer {

/// `machine` and `network` are fingerprints. Of `params` threads, time, memory, progress and what
/// is shared with other plans do not count: a plan that is proved does not depend on them.
/// require: params.reference is set.
[[nodiscard]] std::string plan_key(const std::string& machine, const std::string& network,
                                   const PlanParams& params);

}  // namespace tessera::explorer
