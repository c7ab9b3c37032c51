// Weights that lie on the chip for good, where a network runs again and again.
//
//   for (const std::vector<PlannedPin>& pins : pin_choices(net, hardware, plan)) {
//     const PinnedMachine own = with_pins(net, hardware, pins);       // what is planned then
//     ...
//   }
//
// They lie side by side in one block, which every run finds taken: the machine is the same with so
// much of a memory reserved, and nothing of these weights is ever moved. Private to planner/.
#pragma once

#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

/// Does the profile allow it, and is there a weight?
[[nodiscard]] bool may_pin(const Network& network, const Hardware& hardware);

/// A network with weights that are pinned, and what its machine is beside them.
struct PinnedMachine {
  Network network;
  Hardware hardware;
};
/// Throws std::invalid_argument, with a sentence, for what cannot lie there.
[[nodiscard]] PinnedMachine with_pins(const Network& network, const Hardware& hardware,
                                      const std::vector<PlannedPin>& pins);

/// As a plan says that all of it lies: what is joined off the chip, what is pinned on it. Throws
/// std::invalid_argument.
[[nodiscard]] PinnedMachine as_planned(const Network& network, const Hardware& hardware,
                                       const std::vector<PlannedJoin>& joined,
                                       const std::vector<PlannedPin>& pins);

/// The network of which every weight that may lie there does, however little room there is: no plan
/// moves less.
[[nodiscard]] Network with_all_pinned(const Network& network, const Hardware& hardware);

/// These weights side by side from the begin of the memory on.
/// require: may_pin(); they may lie there, and there is room for all
[[nodiscard]] std::vector<PlannedPin> pins_of(const Network& network, const Hardware& hardware,
                                              const std::vector<TensorIndex>& weights);

/// All of them, or as many as three quarters of the memory hold where it does not hold all, and as
/// many as take half of that, a quarter and an eighth: those first that the plan, which pins none,
/// loads most often, and of these the large ones. require: may_pin()
[[nodiscard]] std::vector<std::vector<PlannedPin>> pin_choices(const Network& network,
                                                               const Hardware& hardware,
                                                               const NetworkPlan& plan);

}  // namespace tessera::planner
