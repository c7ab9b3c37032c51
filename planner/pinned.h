// Pinned weights: weights that remain on chip from one inference to the next.
//
//   for (const std::vector<PlannedPin>& pins : pin_choices(net, hardware, plan)) {
//     const PinnedMachine own = with_pins(net, hardware, pins);       // the machine to plan for
//     ...
//   }
//
// Pinned weights form one block that is occupied in every group. The plan uses the same machine
// with that block reserved, and pinned weights are never transferred. Private to planner/.
#pragma once

#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// True if the profile allows it and the network has a weight.
[[nodiscard]] bool may_pin(const Network& network, const Hardware& hardware);

/// A network with pinned weights, and its machine with their block reserved.
struct PinnedMachine {
  Network network;
  Hardware hardware;
};
/// Throws std::invalid_argument, with a sentence, for weights that cannot be pinned.
[[nodiscard]] PinnedMachine with_pins(const Network& network, const Hardware& hardware,
                                      const std::vector<PlannedPin>& pins);

/// Network and machine as the plan describes them: with tensors joined off chip and weights pinned
/// on chip. Throws std::invalid_argument.
[[nodiscard]] PinnedMachine as_planned(const Network& network, const Hardware& hardware,
                                       const std::vector<PlannedJoin>& joined,
                                       const std::vector<PlannedPin>& pins);

/// The network with all allowed weights pinned, regardless of the capacity: no plan moves less.
[[nodiscard]] Network with_all_pinned(const Network& network, const Hardware& hardware);

/// These weights, adjacent from the begin of the memory on.
/// require: may_pin(); the weights may be pinned and fit together
[[nodiscard]] std::vector<PlannedPin> pins_of(const Network& network, const Hardware& hardware,
                                              const std::vector<TensorIndex>& weights);

/// The choices are all weights (or as many as fit in three quarters of the memory), and a half, a
/// quarter and an eighth of that. Weights that `plan` loads most often come first, of these the
/// largest. `plan` pins none.
/// require: may_pin()
[[nodiscard]] std::vector<std::vector<PlannedPin>> pin_choices(const Network& network,
                                                               const Hardware& hardware,
                                                               const NetworkPlan& plan);

}  // namespace tessera::planner
