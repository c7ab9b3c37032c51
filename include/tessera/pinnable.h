// Finds out whether all weights of a network could be pinned on-chip instead of loaded per
// inference.
//
//   const NetworkPlan plan = plan_network(net, hardware, {});              // plan.h
//   if (const auto all = pinnable_weights(net, hardware, plan))
//     std::cout << all->bytes << " bytes have room in " << all->memory << " for good\n";
//   // with `tiling: {pinned: weights}` in the profile they are loaded once
#pragma once

#include <optional>
#include <string>

#include "api.h"
#include "hardware.h"
#include "network.h"
#include "network_plan.h"
#include "units.h"

namespace tessera {

/// Weights that fit on-chip together.
struct PinnableWeights {
  std::string memory;  ///< an on-chip memory
  Size bytes = 0;      ///< of all weights
  friend bool operator==(const PinnableWeights&, const PinnableWeights&) = default;
};

/// All weights of the network if they fit beside the plan's peak and the profile's tiling does not
/// permit pinning; else nothing.
/// require: `plan` is a plan of this network and hardware.
[[nodiscard]] TESSERA_API std::optional<PinnableWeights> pinnable_weights(const Network& network,
                                                                          const Hardware& hardware,
                                                                          const NetworkPlan& plan);

}  // namespace tessera
